  // What every interpreter of javascript has for its programs: the one JSON document that says a
  // value, or the error that ended one. Who comes before it says `types` (node's library of that
  // name), `filename` (of what runs, as stacks have it) and `withoutOurFrames`.
  const mostDepth = 100;
  const mostLetters = 16 << 20;

  class Unserializable extends Error {}

  const kindOf = (value) => {
    if (typeof value !== 'object') return typeof value;
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return 'binary data';
    for (const name of ['Map', 'Set', 'WeakMap', 'WeakSet', 'RegExp', 'Promise', 'Proxy',
      'BoxedPrimitive', 'NativeError', 'GeneratorObject', 'External']) {
      if (types['is' + name]?.(value)) return name === 'NativeError' ? 'Error' : name;
    }
    if (typeof value.toJSON === 'function') return 'object';
    // What these hold is no property of theirs in one version of node, and a symbol's in another.
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (tag.endsWith(' Iterator') || tag.endsWith(' Helper')) return 'iterator';
    return ['URLSearchParams', 'Headers', 'FormData', 'Blob', 'File',
      'Request', 'Response', 'WeakRef', 'FinalizationRegistry'].includes(tag) ? tag : 'object';
  };

  const isWellFormed = (text) => !/\p{Surrogate}/u.test(text);

  class Document {
    constructor() {
      this.parts = [];
      this.letters = 0;
      this.open = new Set();
    }

    add(text) {
      this.letters += text.length;
      if (this.letters > mostLetters) throw new Unserializable('the value is larger than 16 MiB');
      this.parts.push(text);
    }

    write(value, where) {
      if (value === null || typeof value === 'boolean') return this.add(String(value));
      if (typeof value === 'string') return this.writeText(value, where);
      if (typeof value === 'number') return this.writeNumber(value, where);
      const kind = kindOf(value);
      if (kind !== 'object') throw new Unserializable(`${where}: ${kind} does not exist in JSON`);
      return this.enter(value, where);
    }

    writeText(text, where) {
      if (!isWellFormed(text)) {
        throw new Unserializable(`${where}: text with half of a surrogate pair`);
      }
      this.add(JSON.stringify(text));
    }

    writeNumber(number, where) {
      if (!Number.isFinite(number)) {
        throw new Unserializable(`${where}: ${number} does not exist in JSON`);
      }
      this.add(JSON.stringify(number));
    }

    enter(value, where) {
      if (this.open.has(value)) throw new Unserializable(`${where}: contains itself`);
      if (this.open.size >= mostDepth) {
        throw new Unserializable(`${where.slice(0, 200)}: nested deeper than 100`);
      }
      this.open.add(value);
      if (typeof value.toJSON === 'function') this.writeSaid(value, where);
      else if (Array.isArray(value)) this.writeArray(value, where);
      else this.writeObject(value, where);
      this.open.delete(value);
    }

    writeSaid(value, where) {
      const said = value.toJSON();
      if (said === null && types.isDate(value)) {
        throw new Unserializable(`${where}: a Date that is none does not exist in JSON`);
      }
      this.write(said, `${where}.toJSON()`);
    }

    writeArray(array, where) {
      this.add('[');
      for (let index = 0; index < array.length; index += 1) {
        if (index > 0) this.add(',');
        this.write(array[index], `${where}[${index}]`);
      }
      this.add(']');
    }

    writeObject(object, where) {
      const symbols = Object.getOwnPropertySymbols(object);
      if (symbols.length > 0) throw new Unserializable(`${where}: key that is a symbol`);
      this.add('{');
      Object.keys(object).forEach((key, index) => {
        if (index > 0) this.add(',');
        this.writeText(key, where);
        this.add(':');
        this.write(object[key], `${where}[${JSON.stringify(key.slice(0, 60))}]`);
      });
      this.add('}');
    }
  }

  const jsonOf = (value) => {
    const document = new Document();
    document.write(value, 'value');
    return document.parts.join('');
  };

  const wellFormed = (text, most) =>
    String(text).slice(0, most).replace(/\p{Surrogate}/gu, '\uFFFD');

  const errorDocument = (type, message, stack, name, line) => {
    const error = { type, message: wellFormed(message, 65536) };
    if (name) error.name = wellFormed(name, 201);  // one that is too long is none
    if (stack !== undefined) error.stack = wellFormed(stack, 262144);
    if (line > 0) error.line = line;
    return JSON.stringify({ error });
  };

  /// Nothing for what is no JSON, but is shown otherwise.
  const valueDocument = (value, isShown = () => false) => {
    try {
      return `{"value":${jsonOf(value)}}`;
    } catch (error) {
      if (error instanceof Unserializable && isShown()) return null;
      return errorDocument('SerializationError',
        error instanceof Unserializable ? error.message : `value: ${describe(error)[0]}`);
    }
  };

  const lineIn = (stack) => Number(stack.split(`${filename}:`)[1]?.match(/^\d+/)?.[0]);

  /// A stack begins with the place of what does not compile, else with the message of its making.
  const lineOf = (stack, text) => {
    if (stack.startsWith(`${filename}:`)) return lineIn(stack);
    const frames = stack.replace(text, () => '').split('\n').filter((line) => /^ +at /.test(line));
    return lineIn(frames.join('\n'));
  };

  const describe = (error) => {
    try {
      if (types.isNativeError(error)) {
        const stack = withoutOurFrames(error.stack);
        const text = String(error);
        const name = typeof error.name === 'string' ? error.name : undefined;
        return [text, stack, name, lineOf(stack, text)];
      }
      const isObject = typeof error === 'object' && error !== null;
      return [`Uncaught ${isObject ? kindOf(error) : String(error)}`, undefined];
    } catch {
      return ['Uncaught error that cannot be shown', undefined];
    }
  };
