
// What Deno loads before its program, behind javascript.js: a value, or the error that ended it,
// goes as one JSON document to descriptor 3. A program is a module, which Deno makes javascript of
// itself. One that has `return` outside of functions is put into an async function behind its
// imports, so that `return` gives a value.
import * as modules from 'node:module';
import process from 'node:process';
import { types } from 'node:util';

const path = '/work/main.ts';
const filename = `file://${path}`;
const { NotCapable, PermissionDenied } = Deno.errors;

/// The only place that may be written to, until it is open: then there is none.
const openChannel = () => {
  try {
    return Deno.openSync('/dev/fd/3', { write: true });
  } catch {
    return null;  // it leads nowhere
  } finally {
    Deno.permissions.revokeSync({ name: 'write' });
  }
};
const channel = openChannel();
let pending = null;

const send = () => {
  if (!channel || pending === null) return;
  try {
    let rest = new TextEncoder().encode(pending);
    pending = null;
    while (rest.length > 0) rest = rest.subarray(channel.writeSync(rest));
    channel.close();
  } catch {
    // The reader has gone; the program's own fate does not depend on it.
  }
};
addEventListener('unload', send);

const giveUp = (message) => {
  console.error(`error: ${message}`);
  pending = errorDocument('RuntimeError', message);
  Deno.exit(1);
};
if (!modules.registerHooks) giveUp(`Deno 2.9 or newer is needed, this is ${Deno.version.deno}`);

const isThere = (name) => {
  try {
    return Deno.statSync(name).isFile;
  } catch {
    return false;
  }
};

/// It is ahead of its program: descriptor 4 tells which arguments that one has, once it is there.
const wait = () => {
  const startClock = stopClock();
  channel.writeSync(new TextEncoder().encode('waiting'));
  const word = Deno.readTextFileSync('/dev/fd/4');
  if (word === '') Deno.exit(0);  // nobody needs it any more
  startClock();
  const words = word.split('\0').slice(1);
  Object.defineProperty(Deno, 'args',
    { value: words, configurable: true, enumerable: true, writable: true });
  process.argv.push(...words);
};
if (!isThere(path)) wait();
Deno.permissions.revokeSync({ name: 'read', path: '/dev/fd/4' });

const withoutOurFrames = (stack) => String(stack).split('\n')
  .filter((line) => !/^ +at .*\b(ext|data):/.test(line)).join('\n');

const typeOf = (error) => {
  const code = types.isNativeError(error) && Object.getOwnPropertyDescriptor(error, 'code');
  return error instanceof NotCapable || error instanceof PermissionDenied
    || (code && code.value === 'EROFS') ? 'PermissionDenied' : 'RuntimeError';
};

let last;  // event of an error that nobody has caught
for (const name of ['error', 'unhandledrejection']) {
  addEventListener(name, (event) => { last = event; });
}
process.on('uncaughtExceptionMonitor', (shown) => {
  const event = last;
  last = undefined;
  // The program goes on.
  if (event?.defaultPrevented || process.listenerCount('uncaughtException') > 0) return;
  const thrown = event?.type === 'error' ? event.error : event?.reason;
  const error = event ? thrown : shown;
  pending = errorDocument(typeOf(error), ...describe(error));
  send();
});

/// From a microtask of its own, so that no frame of this file is on the program's stack.
const start = (body) => {
  let isOver = false;
  Promise.resolve().then(body).finally(() => { isOver = true; }).then((value) => {
    if (value !== undefined && pending === null) pending = valueDocument(value);
  });
  addEventListener('beforeunload', () => {
    if (!isOver) giveUp('Top-level await promise never resolved');
  });
};

/// Javascript's own parser decides, to which decorators are errors; others may come to light.
const parseError = (code) => {
  const { SourceTextModule } = process.getBuiltinModule('vm');
  try {
    return new SourceTextModule(code) && '';
  } catch (error) {
    return error.message;
  }
};

const withoutDecorators = (code) => code.replace(/@[\w$.]+(?:\([^()]*\))?/g, '');

const mayReturn = () => {
  try {
    const text = Deno.readTextFileSync(path);
    if (!/\breturn\b/.test(text)) return false;
    const code = modules.stripTypeScriptTypes(text, { mode: 'transform' });
    return parseError(code) !== '' && parseError(withoutDecorators(code)) !== '';
  } catch {
    return false;  // Deno says why
  }
};

/// Comments and imports that code begins with.
const opening = new RegExp(`^(?:#!.*\n)?(?:${['[ \t]*\n', '[ \t]*//.*\n',
  '[ \t]*/\\*(?:[^*]|\\*(?!/))*\\*/[ \t]*',
  'import\\b(?!\\s*[(.])(?:[^;"\'`]|"[^"\n]*"|\'[^\'\n]*\')*;[ \t]*(?://.*)?\n'].join('|')})*`);

/// The source map of code that has a line of ours in front of the line `before`.
const mapped = (note, before) => {
  const at = note.indexOf(',') + 1;
  if (at === 0) return note;
  const map = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(note.slice(at).trim())));
  const lines = map.mappings.split(';');
  lines.splice(before, 0, '');
  map.mappings = lines.join(';');
  return note.slice(0, at) + new TextEncoder().encode(JSON.stringify(map)).toBase64();
};

const entrance = '__lazaret_main';
const inFunction = (code) => {
  const [head] = opening.exec(code);
  const end = code.lastIndexOf('\n//# sourceMappingURL=') + 1 || code.length;
  const note = mapped(code.slice(end), head.split('\n').length - 1);
  const body = code.slice(head.length, end);
  return `${head}globalThis.${entrance}(async () => {\n${body}\n});\n${note}`;
};

const load = (url, context, next) => {
  const loaded = next(url, context);
  if (url !== filename) return loaded;
  const source = inFunction(String(loaded.source));
  // Deno's own is the better error.
  const isReturning = /^Illegal return/.test(parseError(String(loaded.source)));
  if (!isReturning || parseError(source) !== '') return { ...loaded, source: null };
  const take = (body) => {
    delete globalThis[entrance];
    start(body);
  };
  Object.defineProperty(globalThis, entrance, { value: take, configurable: true });
  return { ...loaded, source };
};
// WHY only then: while there are hooks, Deno does not see that an await will never end.
if (mayReturn()) modules.registerHooks({ load });
