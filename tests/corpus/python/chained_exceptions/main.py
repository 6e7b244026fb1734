class ConfigError(Exception):
    pass


def port_of(settings):
    try:
        return settings["port"]
    except KeyError as error:
        raise ConfigError("settings.json: no port") from error


try:
    port_of({"host": "localhost"})
except ConfigError as error:
    error.add_note("check the example file")
    raise
finally:
    print("cleanup ran")
