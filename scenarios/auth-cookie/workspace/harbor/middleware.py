"""What every request passes on its way in: identity, rate, and the audit trail."""

from harbor import auth, cookies
from harbor.http import Response


class Stack:
    """Wraps the router. Later layers see what earlier ones have put on the request."""

    def __init__(self, router, settings, revoked, limiter, audit):
        self.router = router
        self.settings = settings
        self.revoked = revoked
        self.limiter = limiter
        self.audit = audit

    def handle(self, request):
        request.identity = self._identity(request)
        who = request.identity.user if request.identity else request.address
        if not self.limiter.allow(who):
            self.audit.write("limited", who, request.path)
            return Response(429, "too many requests", {"Retry-After": "60"})
        response = self.router.dispatch(request)
        if response.status >= 400:
            self.audit.write(str(response.status), who, request.path)
        return response

    def _identity(self, request):
        value = cookies.session(request.headers.get("Cookie"))
        if value and self.revoked.holds(value):
            self.audit.write("revoked", request.address, request.path)
            return None
        try:
            return auth.read(value, self.settings.secret)
        except auth.NotSignedIn as reason:
            if value:
                self.audit.write("rejected", request.address, f"{request.path} {reason}")
            return None


def require(role):
    """Refuse a view to everyone below a role."""

    def wrap(view):
        def guarded(request, *args):
            if request.identity is None:
                return Response(303, "", {"Location": f"/login?next={request.path}"})
            if not request.identity.may(role):
                return Response(403, "not yours to see")
            return view(request, *args)

        return guarded

    return wrap
