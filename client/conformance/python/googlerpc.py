"""What a client reads from grpc-status-details-bin when it knows google.rpc and nothing of Remedy.

Sixty lines of protobuf, by hand: no generated code, no descriptor, no package beside the standard library.
"""

TYPE_PREFIX = "type.googleapis.com/google.rpc."


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Yields (number, value) of every field: int for varints, bytes for everything with a length."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a field is longer than its message")
        else:
            raise ValueError("wire type %d is in no message read here" % kind)
        yield number, value


def one(data, number, default=b""):
    for n, value in fields(data):
        if n == number:
            default = value
    return default


def text(data, number):
    return one(data, number).decode("utf-8")


def each(data, number):
    return [value for n, value in fields(data) if n == number]


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def duration(data):
    """google.protobuf.Duration as protobuf's JSON writes it."""
    seconds, nanos = signed(one(data, 1, 0)), signed(one(data, 2, 0))
    if nanos == 0:
        return "%ds" % seconds
    for digits in (3, 6, 9):
        if nanos % 10 ** (9 - digits) == 0:
            return "%d.%0*ds" % (seconds, digits, nanos // 10 ** (9 - digits))


def read(status):
    """Returns (code, message, what the details say)."""
    said = {}
    for detail in each(status, 3):
        url, value = text(detail, 1), one(detail, 2)
        said.setdefault("details", []).append(url)
        name = url[len(TYPE_PREFIX):] if url.startswith(TYPE_PREFIX) else ""
        if name == "ErrorInfo":
            if "reason" in said:
                raise ValueError("a second ErrorInfo")
            said["reason"], said["domain"] = text(value, 1), text(value, 2)
            metadata = {text(entry, 1): text(entry, 2) for entry in each(value, 3)}
            if metadata:
                said["metadata"] = metadata
        elif name == "RetryInfo":
            said["retryDelay"] = duration(one(value, 1))
        elif name == "BadRequest":
            said["fieldViolations"] = [
                {"field": text(v, 1), "description": text(v, 2), "reason": text(v, 3)} for v in each(value, 1)]
        elif name == "QuotaFailure":
            said["quotaViolations"] = [{"subject": text(v, 1), "description": text(v, 2)} for v in each(value, 1)]
        elif name == "PreconditionFailure":
            said["preconditionViolations"] = [
                {"type": text(v, 1), "subject": text(v, 2), "description": text(v, 3)} for v in each(value, 1)]
        elif name == "ResourceInfo":
            said["resourceType"], said["resourceName"] = text(value, 1), text(value, 2)
        elif name == "Help":
            said["links"] = [{"description": text(v, 1), "url": text(v, 2)} for v in each(value, 1)]
    return one(status, 1, 0), text(status, 2), said
