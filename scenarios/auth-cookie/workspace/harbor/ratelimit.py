"""So many requests a minute for each user or address; a bucket that refills by the second."""

from harbor import clock


class Limiter:
    """Token buckets by key. A bucket is full at first and holds a minute's worth."""

    def __init__(self, per_minute):
        self.per_minute = per_minute
        self._buckets = {}  # key: (tokens, when they were counted)

    def allow(self, key):
        now = clock.now()
        tokens, counted = self._buckets.get(key, (self.per_minute, now))
        tokens = min(self.per_minute, tokens + (now - counted) * self.per_minute / 60)
        if tokens < 1:
            self._buckets[key] = (tokens, now)
            return False
        self._buckets[key] = (tokens - 1, now)
        return True

    def state(self, key):
        """For the admin page: tokens left and the second at which they were counted."""
        return self._buckets.get(key, (self.per_minute, clock.now()))

    def forget(self, older_than=3600):
        """Drop buckets that nobody has used for a while."""
        edge = clock.now() - older_than
        stale = [key for key, (_, counted) in self._buckets.items() if counted < edge]
        for key in stale:
            del self._buckets[key]
        return len(stale)
