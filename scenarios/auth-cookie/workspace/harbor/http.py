"""Requests and responses, without a framework."""

from urllib.parse import parse_qs

REASONS = {
    200: "OK", 201: "Created", 303: "See Other", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict",
    429: "Too Many Requests", 500: "Internal Server Error",
}


class Request:
    def __init__(self, method, path, headers=None, body="", query="", address="127.0.0.1"):
        self.method = method
        self.path = path
        self.headers = headers or {}
        self.body = body
        self.query = {name: values[0] for name, values in parse_qs(query).items()}
        self.address = address
        self.identity = None

    def form(self):
        return {name: values[0] for name, values in parse_qs(self.body).items()}

    @classmethod
    def from_environ(cls, environ):
        size = int(environ.get("CONTENT_LENGTH") or 0)
        headers = {
            name[5:].replace("_", "-").title(): value
            for name, value in environ.items()
            if name.startswith("HTTP_")
        }
        return cls(
            environ["REQUEST_METHOD"],
            environ.get("PATH_INFO", "/"),
            headers,
            environ["wsgi.input"].read(size).decode("utf-8", "replace") if size else "",
            environ.get("QUERY_STRING", ""),
            environ.get("REMOTE_ADDR", ""),
        )


class Response:
    def __init__(self, status, body="", headers=None, kind="text/plain"):
        self.status = status
        self.body = body
        self.headers = {"Content-Type": f"{kind}; charset=utf-8", **(headers or {})}

    @property
    def line(self):
        return f"{self.status} {REASONS[self.status]}"
