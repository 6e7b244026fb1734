type Result<T, E = string> = { ok: true; value: T } | { ok: false; error: E };
const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });
const fail = <E>(error: E): Result<never, E> => ({ ok: false, error });

function tokens(text: string): Result<string[]> {
  const found = text.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  const wrong = found.find((token) => !/^[\d\-+*/()]/.test(token));
  return wrong === undefined ? ok(found) : fail(`unexpected ${wrong}`);
}

function evaluate(text: string): Result<number> {
  const all = tokens(text);
  if (!all.ok) return all;
  const rest = all.value;
  const factor = (): number => {
    const token = rest.shift();
    if (token === "-") return -factor();
    if (token !== "(") return Number(token ?? NaN);
    const inner = sum();
    return rest.shift() === ")" ? inner : NaN;
  };
  const product = (): number => {
    let left = factor();
    while (rest[0] === "*" || rest[0] === "/") {
      left = rest.shift() === "*" ? left * factor() : left / factor();
    }
    return left;
  };
  const sum = (): number => {
    let left = product();
    while (rest[0] === "+" || rest[0] === "-") {
      left = rest.shift() === "+" ? left + product() : left - product();
    }
    return left;
  };
  const value = sum();
  return Number.isNaN(value) || rest.length > 0 ? fail("malformed") : ok(value);
}

return ["1 + 2 * 3", "-(4 - 6) / 4", "2 * (3", "7 % 2", "1 / 0.5 8"].map(evaluate)
  .map((result) => result.ok ? result.value : result.error);
