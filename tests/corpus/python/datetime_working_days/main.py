from datetime import date, datetime, timedelta, timezone

HOLIDAYS = {date(2024, 1, 1), date(2024, 3, 29), date(2024, 4, 1)}


def working_days(first, last):
    day = first
    while day <= last:
        if day.weekday() < 5 and day not in HOLIDAYS:
            yield day
        day += timedelta(days=1)


for month in (1, 2, 3, 4):
    first = date(2024, month, 1)
    last = date(2024, month + 1, 1) - timedelta(days=1)
    print(f"{first:%Y-%m} ({first:%a} to {last:%a %d}): {len(list(working_days(first, last)))}")

tokyo = timezone(timedelta(hours=9), "JST")
moment = datetime(2024, 2, 28, 20, 30, tzinfo=timezone.utc)
print(moment.astimezone(tokyo).isoformat(), moment.astimezone(tokyo).tzname())
print("epoch", int(moment.timestamp()))
print("local is UTC:", datetime.fromtimestamp(0) == datetime(1970, 1, 1))
print("week", date(2024, 12, 30).isocalendar().week, "of", date(2024, 12, 30).isocalendar().year)
