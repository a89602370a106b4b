"""Write a week of made-up logs into data/: the same lines for the same seed."""

import json
import random
import sys

NAMES = (
    "ada bo cleo dirk edda finn greta hauke imke jan kaya lars mila nils ole pia rike sven "
    "tjark ute vera wiebke yara"
).split()
BOATS = "Möwe Seestern Anna-Lena Nordwind Kormoran Strolch Ebbe Flut Pirol Albatros".split()
HARBOURS = "Norderhaven Kleinsiel Ostersand Bensum Greetland Wybelsum".split()
PATHS = ["/", "/berths", "/berths", "/bookings", "/login", "/logout", "/health", "/admin/sweep"]
AGENTS = ["app/4.1.2", "app/4.1.2", "app/4.0.9", "Firefox/142", "Safari/19", "curl/8.9"]
START = 1_787_400_000


def access(rng, lines):
    at = START
    for _ in range(lines):
        at += rng.randrange(1, 90)
        path = rng.choice(PATHS)
        status = rng.choices([200, 201, 303, 401, 403, 404, 409, 429], [60, 6, 12, 4, 3, 5, 4, 2])[0]
        who = rng.choice(NAMES) if rng.random() < 0.6 else "-"
        yield (
            f"{at} {rng.randrange(10, 250)}.{rng.randrange(255)}.{rng.randrange(255)}.7 {who} "
            f"{rng.choice(['GET', 'POST'])} {path} {status} {rng.randrange(2, 900)}ms "
            f"req={rng.getrandbits(40):010x} {rng.choice(AGENTS)}"
        )


def audit(rng, lines):
    at = START
    for _ in range(lines):
        at += rng.randrange(1, 200)
        event = rng.choices(
            ["signed-in", "signed-out", "denied", "rejected", "revoked", "limited", "409", "403"],
            [30, 12, 8, 14, 5, 4, 6, 4],
        )[0]
        detail = {
            "rejected": rng.choice(["/berths bad signature", "/ version v1", "/bookings expired"]),
            "409": f"/bookings/{rng.randrange(100, 9999)}/paid",
        }.get(event, "")
        entry = {"at": at, "event": event, "who": rng.choice(NAMES), "detail": detail}
        yield json.dumps(entry, sort_keys=True)


def bookings(rng, lines):
    yield "id,berth,boat,skipper,harbour,first,nights,price,state"
    for number in range(1, lines):
        nights = rng.choice([1, 2, 2, 3, 5, 7, 14])
        yield (
            f"{number + 4200},{rng.randrange(1, 180)},{rng.choice(BOATS)},{rng.choice(NAMES)},"
            f"{rng.choice(HARBOURS)},{20690 + rng.randrange(200)},{nights},"
            f"{nights * rng.randrange(1400, 4200)},{rng.choice(['held', 'paid', 'left', 'cancelled'])}"
        )


def phone(rng, lines):
    at = START
    for _ in range(lines):
        at += rng.randrange(5, 400)
        drift = rng.choices([0, 1, 2, -1, 3], [20, 10, 5, 5, 2])[0]
        if rng.random() < 0.08:
            drift = rng.randrange(18, 44)
        yield (
            f"{at} device={rng.getrandbits(32):08x} app=4.{rng.choice('01')}.{rng.randrange(10)} "
            f"battery={rng.randrange(4, 101)} net={rng.choice(['5g', '4g', 'wifi', 'edge'])} "
            f"drift={drift}s sync={rng.choice(['ok', 'ok', 'ok', 'late', 'retry'])}"
        )


MAKERS = {"access.log": access, "audit.log": audit, "bookings.csv": bookings, "phone.log": phone}

if __name__ == "__main__":
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    for number, (name, maker) in enumerate(MAKERS.items()):
        with open(f"data/{name}", "w", encoding="utf-8") as file:
            for line in maker(random.Random(seed * 100 + number), 4000):
                print(line, file=file)
