"""Calls the conformance server and checks, with grpcio and google.rpc alone, that every error arrives whole.

    reader.py ADDRESS VECTORS [PREFIX]

ADDRESS is where the server, or a proxy in front of it, listens; VECTORS is the folder of the golden vectors; only vectors
whose name begins with PREFIX are asked for. Every call that is not answered as its vector says is one line on standard
output. The exit status is 1 when there is one, or when a vector that is expected to fail does not.
"""

import base64
import glob
import json
import os
import sys

import grpc

import googlerpc

SERVICE = "/grpc.testing.TestService/"
TIMEOUT = 20  # seconds a call may take
FREE = 256  # bytes of the trailer list that belong to other trailers
ENTRY = 32  # bytes that HTTP/2 counts for each of them


def as_it_is(message):
    return message


def calls(channel):
    """The four kinds of calls: name, function, and whether a message comes before the error."""
    def kind(make, method):
        return make(SERVICE + method, request_serializer=as_it_is, response_deserializer=as_it_is)

    unary = kind(channel.unary_unary, "EmptyCall")
    server = kind(channel.unary_stream, "StreamingOutputCall")
    client = kind(channel.stream_unary, "StreamingInputCall")
    bidi = kind(channel.stream_stream, "FullDuplexCall")
    return [
        ("unary", lambda m: [unary(b"", metadata=m, timeout=TIMEOUT)], 0),
        ("server stream", lambda m: server(b"", metadata=m, timeout=TIMEOUT), 1),
        ("client stream", lambda m: [client(iter([b""]), metadata=m, timeout=TIMEOUT)], 0),
        ("bidi", lambda m: bidi(iter([b""]), metadata=m, timeout=TIMEOUT), 1),
    ]


def differences(vector, call, first):
    """Makes one call and yields what is not as the vector says."""
    messages = 0
    try:
        for _ in call((("conformance-vector", vector["name"]),)):
            messages += 1
        yield "the call did not fail"
        return
    except grpc.RpcError as error:
        code, message, trailers = error.code(), error.details(), error.trailing_metadata() or ()
    expect, google = vector["expect"], vector["google"]
    if code.value[0] != expect["grpcCode"]:
        yield "%s %r instead of code %d" % (code.name, message, expect["grpcCode"])
        return
    if messages != first:
        yield "%d messages came first, not %d" % (messages, first)
    if message != expect["message"]:
        yield "message %r" % message
    pushback = [value for key, value in trailers if key == "grpc-retry-pushback-ms"]
    if pushback != [vector[k] for k in ("pushback",) if k in vector]:
        yield "pushback %r" % pushback
    others = [(k, v) for k, v in trailers if k in ("grpc-retry-pushback-ms", "conformance-fill")]
    if sum(len(k) + len(v) + ENTRY for k, v in others) != FREE:
        yield "the other trailers do not take %d bytes: %r" % (FREE, others)
    carried = [value for key, value in trailers if key == "grpc-status-details-bin"]
    if not google.get("details"):
        if carried:
            yield "details where there are none"
        return
    if len(carried) != 1:
        yield "%d values of grpc-status-details-bin" % len(carried)
        return
    if carried[0] != base64.b64decode(vector["status"]):
        yield "other bytes of the status"
    inner_code, inner_message, said = googlerpc.read(carried[0])
    if inner_code != expect["grpcCode"] or inner_message != message:
        yield "the status inside says %d %r" % (inner_code, inner_message)
    if said != google:
        yield "google.rpc says %s, not %s" % (json.dumps(said), json.dumps(google))
    if expect["class"] == "Foreign":
        return
    if said["reason"].lower() != expect["code"] or said["domain"] != expect["domain"]:
        yield "%s %s is another error" % (said["domain"], said["reason"])
    if said["metadata"].get("retry") != expect["retry"]:
        yield "rule %r" % said["metadata"].get("retry")
    if said.get("retryDelay") != expect.get("retryAfter"):
        yield "delay %r" % said.get("retryDelay")
    types = ["type.googleapis.com/remedy.v1." + expect["class"]]
    if "declared" in expect:
        types.append(expect["declared"]["@type"])
    if said["details"][1:1 + len(types)] != types:
        yield "the type did not arrive: %r" % said["details"]


def load(folder, prefix):
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as file:
            for vector in json.load(file)["vectors"]:
                if vector["direction"] == "encode" and vector["name"].startswith(prefix):
                    yield vector


def main(address, folder, prefix=""):
    with open(os.path.join(folder, os.pardir, "expected-failures.json"), encoding="utf-8") as file:
        expected = json.load(file)["python"]
    vectors = list(load(folder, prefix))
    done = wrong = 0
    failed = set()
    with grpc.insecure_channel(address) as channel:
        for vector in vectors:
            for kind, call, first in calls(channel):
                done += 1
                for difference in differences(vector, call, first):
                    failed.add(vector["name"])
                    if vector["name"] in expected:
                        print("expected", vector["name"], kind, difference)
                        continue
                    wrong += 1
                    print("FAIL", vector["name"], kind + ":", difference)
    for name in sorted(n for n in expected if n.startswith(prefix) and n not in failed):
        wrong += 1
        print("FAIL", name, "is expected to fail and does not")
    print("grpcio %s: %d vectors, %d calls, %d differences" % (grpc.__version__, len(vectors), done, wrong))
    return 1 if wrong or not vectors else 0


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
