CREATE TABLE bookings (
    id INTEGER PRIMARY KEY, berth INTEGER NOT NULL REFERENCES berths (id), boat TEXT NOT NULL,
    skipper TEXT NOT NULL, first INTEGER NOT NULL, nights INTEGER NOT NULL,
    price INTEGER NOT NULL, state TEXT NOT NULL
);
CREATE INDEX bookings_by_day ON bookings (first, nights);
