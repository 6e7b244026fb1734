RECORDS = [{"name": "Ann", "age": -1}, {"age": 3}, {"name": "Cy", "age": 7}, {"age": -5}]


def check(record):
    if record["age"] < 0:
        raise ValueError(f"age {record['age']}")
    return record["name"]


def check_all(records):
    names, errors = [], []
    for number, record in enumerate(records):
        try:
            names.append(check(record))
        except (ValueError, KeyError) as error:
            error.add_note(f"record {number}")
            errors.append(error)
    print("valid:", names, "errors:", len(errors))
    if not errors:
        return names
    group = ExceptionGroup("bad records", errors)
    raise group


try:
    check_all(RECORDS)
except* KeyError as found:
    print("handled:", repr(found.exceptions[0]), found.exceptions[0].__notes__)
finally:
    print("checked", len(RECORDS))
print("never printed")
