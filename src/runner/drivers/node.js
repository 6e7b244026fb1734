// Runs the file named by the first argument the way `node FILE` does, but inside an async function,
// so that `return` gives a value and `await` works. The value, or the error that ended the program,
// goes as one JSON document to descriptor 3. Source text in ES module syntax runs as a module.
// Without an argument it is ahead of its program: it says on descriptor 3 that it waits, and reads
// on descriptor 4 what it is to run and with which arguments.
'use strict';
{
  const fs = require('fs');
  const path = require('path');
  const vm = require('vm');
  const { pathToFileURL } = require('url');
  const { types } = require('util');
  const Module = require('module');
  const library = require;  // the global one is taken away below

  const mostDepth = 100;
  const mostLetters = 16 << 20;
  // Stacks show node's own frames under such names; people and tools know to skip them.
  const internalName = 'node:internal/lazaret';

  const denied = ['EACCES', 'EPERM', 'EROFS'];
  class Unserializable extends Error {}

  const kindOf = (value) => {
    if (typeof value !== 'object') return typeof value;
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return 'binary data';
    for (const name of ['Map', 'Set', 'WeakMap', 'WeakSet', 'RegExp', 'Promise', 'Proxy',
      'BoxedPrimitive', 'NativeError', 'GeneratorObject', 'External']) {
      if (types['is' + name](value)) return name === 'NativeError' ? 'Error' : name;
    }
    // What these hold is no property of theirs in one version of node, and a symbol's in another.
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    return ['URLSearchParams', 'Headers', 'FormData', 'Blob', 'File'].includes(tag) ? tag : 'object';
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
      if (typeof value.toJSON === 'function') this.write(value.toJSON(), `${where}.toJSON()`);
      else if (Array.isArray(value)) this.writeArray(value, where);
      else this.writeObject(value, where);
      this.open.delete(value);
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
    Buffer.from(String(text).slice(0, most), 'utf8').toString('utf8');

  /// Descriptor 3, if it leads anywhere: node may have given the number to something of its own.
  const openChannel = () => {
    try {
      const kind = fs.fstatSync(3);
      return kind.isFIFO() || kind.isSocket() || kind.isFile() || kind.isCharacterDevice();
    } catch {
      return false;
    }
  };

  const channel = {
    usable: openChannel(),
    pending: null,
    keep(text) { this.pending = text; },
    keepError(type, message, stack, name, line) {
      const error = { type, message: wellFormed(message, 65536) };
      if (name) error.name = wellFormed(name, 201);  // one that is too long is none
      if (stack !== undefined) error.stack = wellFormed(stack, 262144);
      if (line > 0) error.line = line;
      this.keep(JSON.stringify({ error }));
    },
    send() {
      if (!this.usable || this.pending === null) return;
      this.usable = false;
      try {
        let rest = Buffer.from(this.pending);
        while (rest.length > 0) rest = rest.subarray(fs.writeSync(3, rest));
        fs.closeSync(3);
      } catch {
        // The reader has gone; the program's own fate does not depend on it.
      }
    },
  };

  const keepValue = (value) => {
    if (value === undefined || !channel.usable) return;
    try {
      channel.keep(`{"value":${jsonOf(value)}}`);
    } catch (error) {
      const message = error instanceof Unserializable ? error.message : `value: ${error}`;
      channel.keepError('SerializationError', message);
    }
  };

  const withoutOurFrames = (stack) =>
    String(stack).split('\n').filter((line) => !line.includes(internalName)
      && !line.includes('[eval]')).join('\n');

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
      return [`Uncaught ${typeof error === 'object' ? kindOf(error) : String(error)}`, undefined];
    } catch {
      return ['Uncaught error that cannot be shown', undefined];
    }
  };

  let compiling = true;
  const typeOf = (error) => {
    if (compiling && error instanceof SyntaxError) return 'SyntaxError';
    // Only errors of the system's own have both; a getter of the program's is not asked.
    const code = types.isNativeError(error) && Object.getOwnPropertyDescriptor(error, 'code');
    return code && denied.includes(code.value) ? 'PermissionDenied' : 'RuntimeError';
  };
  process.on('uncaughtExceptionMonitor', (error) => {
    if (process.listenerCount('uncaughtException') > 0) return;  // the program goes on
    channel.keepError(typeOf(error), ...describe(error));
  });
  process.on('exit', () => channel.send());

  const wait = () => {
    fs.writeSync(3, 'waiting');
    const word = fs.readFileSync(4, 'utf8');
    fs.closeSync(4);
    if (word === '') process.reallyExit(0);  // nobody needs it any more
    process.argv.push(...word.split('\0'));
  };
  const isAhead = process.argv.length === 1;
  if (isAhead) wait();

  const filename = process.argv[1];
  const directory = path.dirname(filename);

  const newModule = () => {
    const module = new Module('.', null);
    module.filename = filename;
    module.paths = Module._nodeModulePaths(directory);
    module.require = Module.createRequire(filename);
    module.require.main = module;
    process.mainModule = module;
    Module._cache[filename] = module;
    return module;
  };

  const { USE_MAIN_CONTEXT_DEFAULT_LOADER: defaultLoader } = vm.constants ?? {};
  const importFrom = defaultLoader ?? ((name) =>
    import(/^\.{0,2}\//.test(name) ? new URL(name, pathToFileURL(filename)) : name));

  /// node warns at the first use that its loader is experimental, which is no news to the program.
  const importQuietly = () => {
    const { emitWarning } = process;
    process.emitWarning = () => {};
    const options = { importModuleDynamically: importFrom };
    new vm.Script('import("node:path")', options).runInThisContext();
    process.emitWarning = emitWarning;
  };

  // A line of its own, before the first, so that no message shows it.
  const opening = '(async function (exports, require, module, __filename, __dirname) {\n';
  const compile = (source) => new vm.Script(`${opening}${source}\n})`,
    { filename, lineOffset: -1, importModuleDynamically: importFrom }).runInThisContext();

  /// The error for the bare text is the better one, unless it is about what only we allow.
  const clearest = (error, source) => {
    try {
      return new vm.Script(source, { filename }) && error;
    } catch (bare) {
      return /^(Illegal return|await is only valid)/.test(bare.message) ? error : bare;
    }
  };

  /// The words by which node itself recognises a module when it has started with a script.
  const isModuleSyntax = (error) => [
    'Cannot use import statement outside a module',
    "Unexpected token 'export'",
    "Cannot use 'import.meta' outside a module",
  ].includes(error.message);

  /// node takes a .js file for a module when the package says so; the note lasts as long as we do.
  const runAsModule = () => {
    const note = path.join(directory, 'package.json');
    if (!fs.existsSync(note)) {
      fs.writeFileSync(note, '{"type":"module"}\n');
      process.on('exit', () => fs.rmSync(note, { force: true }));
    }
    process.nextTick(() => import(pathToFileURL(filename)).then(() => { compiling = false; }));
  };

  const runAsScript = (main) => {
    compiling = false;
    const module = newModule();
    module.loaded = true;
    const words = [module.exports, module.require, module, filename, directory];
    // From a tick of its own, so that no frame of this file is on the program's stack.
    const start = vm.runInThisContext(
      '(main, self, words, done) => { main.apply(self, words).then(done); }',
      { filename: internalName });
    process.nextTick(start, main, module.exports, words, keepValue);
  };

  /// --eval shows what a script does not have: require, module, and each library under its name.
  const restoreGlobals = () => {
    const extra = ['require', 'module', 'exports', '__filename', '__dirname'];
    for (const name of [...extra, ...Module.builtinModules]) {
      if (!['console', 'process', 'crypto'].includes(name)) delete globalThis[name];
    }
    const webcrypto = () => library('crypto').webcrypto;  // loaded late: it takes milliseconds
    const replace = (value) => Object.defineProperty(globalThis, 'crypto', { value });
    Object.defineProperty(globalThis, 'crypto',
      { get: webcrypto, set: replace, configurable: true, enumerable: true });
  };

  const main = () => {
    const source = fs.readFileSync(filename, 'utf8').replace(/^\uFEFF/, '').replace(/^#!/, '//');
    if (defaultLoader && /\bimport\s*\(/.test(source)) importQuietly();
    let compiled;
    try {
      compiled = compile(source);
    } catch (wrapped) {
      const error = clearest(wrapped, source);
      if (isModuleSyntax(error)) return runAsModule();
      error.stack = withoutOurFrames(error.stack);
      throw error;
    }
    return runAsScript(compiled);
  };

  process.execArgv.length = 0;
  delete process._eval;
  process.nextTick(restoreGlobals);  // not sooner: --eval itself puts `module` back
  // WHY in a turn of its own: timers count from the loop's time, which has stood still.
  if (isAhead) setImmediate(main);
  else main();
}
