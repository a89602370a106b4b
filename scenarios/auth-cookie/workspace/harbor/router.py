"""Paths to views."""

import re

from harbor.http import Response


class Router:
    """Routes in the order in which they were added; <name> stands for one part of a path."""

    def __init__(self):
        self._routes = []

    def add(self, method, path, view):
        pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", path)
        self._routes.append((method, re.compile(f"{pattern}$"), view))

    def dispatch(self, request):
        methods = set()
        for method, pattern, view in self._routes:
            match = pattern.match(request.path)
            if not match:
                continue
            if method == request.method:
                return view(request, *match.groups())
            methods.add(method)
        if methods:
            return Response(405, "", {"Allow": ", ".join(sorted(methods))})
        return Response(404, "no such page")
