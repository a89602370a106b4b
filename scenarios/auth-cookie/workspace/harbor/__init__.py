"""Bookings for guest berths."""
