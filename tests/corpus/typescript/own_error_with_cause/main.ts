class LoadError extends Error {
  override readonly name = "LoadError";
  constructor(readonly path: string, options?: ErrorOptions) {
    super(`cannot load ${path}`, options);
  }
}

function load(path: string): unknown {
  try {
    return JSON.parse("{");
  } catch (cause) {
    throw new LoadError(path, { cause });
  }
}

load("settings.json");
