
  // Runs one cell after another and keeps what they leave in the global scope: let, const and class
  // too, which a later cell may declare again. A cell's value is that of its last expression, or of
  // `return` in one that has it, whose declarations are its own then; `await` works. Descriptor 4
  // tells it each, a 32-bit length and a word: a farewell, the cell's name and its code, with zero
  // bytes between. Descriptor 5 hears the farewell and the cell's status when it is over. Descriptor
  // 6 tells which cell is to end at once, by the last eight bits of its number.
  const inspector = require('inspector');
  const net = require('net');
  const { inspect } = require('util');

  const session = new inspector.Session();
  session.connect();
  const held = {};
  let heldId;
  let over;     // ends the cell that runs
  let current;  // its farewell

  // Who may end the cell that runs: whoever finds its number here, and puts -1 in its place.
  const { exchange, store } = Atomics;
  const running = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
  const claim = () => exchange(running, 0, -1) >= 0;

  class Exit extends Error {}

  const ask = (method, parameters, then) => session.post(`Runtime.${method}`, parameters, then);

  /// What the inspector tells of, itself.
  const itself = (remote) => {
    if ('unserializableValue' in remote) {
      const text = remote.unserializableValue;
      return text.endsWith('n') ? BigInt(text.slice(0, -1)) : Number(text);
    }
    if (!remote.objectId) return remote.value ?? (remote.subtype === 'null' ? null : undefined);
    const words = [{ objectId: remote.objectId }];
    ask('callFunctionOn', { objectId: heldId, arguments: words,
      functionDeclaration: 'function (value) { this.value = value; }' });
    const { value } = held;
    delete held.value;
    return value;
  };

  const say = (text) => {
    try {
      fs.writeSync(2, text);
    } catch {
      // Nobody reads it.
    }
  };

  const inCells = /<cell-\d+>:/;

  /// Without the frames by which cells are reached. What does not compile has none in them.
  const cleanStack = (error, details) => {
    if (!types.isNativeError(error)) return;
    const lines = String(error.stack).split('\n');
    const last = lines.findLastIndex((line) => inCells.test(line));
    const first = lines.findIndex((line) => /^ +at /.test(line));
    if (first >= 0) lines.length = Math.max(first, last + 1);
    compiling = last < 0 && error instanceof SyntaxError && details !== undefined;
    if (compiling) lines.unshift(`${filename}:${details.lineNumber + 1}`);
    error.stack = lines.join('\n');
  };

  const tell = (error) => {
    const [message, stack] = describe(error);
    say(stack === undefined ? `${message}\n` : `Uncaught ${stack}\n`);
  };

  const fail = (error, details) => {
    if (error instanceof Exit) return error.status;
    cleanStack(error, details);
    channel.keepError(typeOf(error), ...describe(error));
    tell(error);
    return 1;
  };

  // What cells show goes ahead of their value, each thing as a line of its own with a form for each
  // media type that it has. Objects say them by the method that Deno asks for, too.
  const jupyter = Symbol.for('Jupyter.display');
  const mostText = 65536;
  let shown;  // things by the cell that runs

  const jsonOfForm = (type, form) => {
    if (type === 'application/json' || type.endsWith('+json')) return jsonOf(form);
    const isText = /^text\/|\+xml$|javascript$/.test(type);
    if (ArrayBuffer.isView(form)) {
      const bytes = Buffer.from(form.buffer, form.byteOffset, form.byteLength);
      return jsonOf(bytes.toString(isText ? 'utf8' : 'base64'));
    }
    if (typeof form !== 'string') throw new Unserializable('neither text nor bytes');
    return jsonOf(isText ? form : form.replace(/\s+/g, ''));  // base64, which may have lines
  };

  const send = (forms, source) => {
    const parts = [];
    for (const [type, form] of Object.entries(forms)) {
      const name = JSON.stringify(type);
      try {
        if (form != null) parts.push(`${name}:${jsonOfForm(type, form)}`);
      } catch (error) {
        say(`not shown: ${name}: ${error.message}\n`);
      }
    }
    if (parts.length === 0 || !over || !channel.usable) return;
    channel.write(`{"rich":{"source":"${source}","data":{${parts.join(',')}}}}\n`);
    shown += 1;
  };

  const textOf = (thing) => {
    try {
      return wellFormed(inspect(thing), mostText);
    } catch (error) {
      return tell(error);
    }
  };

  /// By media type, or a promise of that; undefined for what has no such method, and for proxies,
  /// which may have any. One that raises is told, and ends no cell, but where it goes round in
  /// circles.
  const formsOf = (thing) => {
    try {
      if (types.isProxy(thing)) return undefined;
      const method = thing?.[jupyter];
      return typeof method === 'function' ? method.call(thing) : undefined;
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return tell(error);
    }
  };

  const display = (thing, { raw = false } = {}) => {
    const mine = over;
    const forms = raw ? thing : formsOf(thing);
    const put = (settled) => {
      if (over !== mine) return;
      send(raw ? settled : { 'text/plain': textOf(thing), ...settled }, 'display');
    };
    return types.isPromise(forms) ? forms.then(put) : put(forms);
  };

  const HTML = (text) => (
    { [jupyter]: () => ({ 'text/html': String(text) }), [inspect.custom]: () => '<HTML>' });

  const beside = (value) => {
    if (shown > 0) send({ 'text/plain': textOf(value) }, 'value');
    return shown > 0;
  };

  const conclude = (status) => {
    over = undefined;
    channel.send();
    const farewell = Buffer.from(`${current} `);
    farewell[farewell.length - 1] = status;
    fs.writeSync(5, farewell);
  };

  const finish = (status) => {
    if (over && claim()) conclude(status);
  };

  const give = (value, forms, mine) => {
    const end = (settled) => {
      if (over !== mine) return;
      if (settled) send({ 'text/plain': textOf(value), ...settled }, 'value');
      keepValue(value, () => Boolean(settled) || beside(value));
      finish(0);
    };
    if (!types.isPromise(forms)) return end(forms);
    return forms.then(end, (error) => end(tell(error)))
      .catch((raised) => over === mine && finish(fail(raised)));
  };

  const hear = (mine, error, answer) => {
    if (over !== mine) return;  // it was interrupted
    if (error) return finish(fail(new Error(error.message)));
    if (answer.exceptionDetails) {
      const { exception } = answer.exceptionDetails;
      return finish(fail(exception ? itself(exception) : undefined, answer.exceptionDetails));
    }
    try {
      const value = itself(answer.result);
      return give(value, formsOf(value), mine);
    } catch (raised) {
      return finish(fail(raised));
    }
  };

  /// Of the cell itself: what it has run has its place among the frames.
  const hasReturn = (error, answer) => {
    const told = !error && answer.exceptionDetails?.exception?.description;
    return /^SyntaxError: Illegal return/.test(told) && !inCells.test(told);
  };

  const evaluate = (code, then) => ask('evaluate', { expression: `${code}\n//# sourceURL=${filename}`,
    replMode: true, awaitPromise: true, objectGroup: 'cells' }, then);

  const begin = (code) => {
    const mine = over;
    evaluate(code, (error, answer) => {
      if (!hasReturn(error, answer)) return hear(mine, error, answer);
      return evaluate(`await (async () => {${code}\n})()`, (...all) => hear(mine, ...all));
    });
  };

  const failInterrupted = () =>
    conclude(fail(Object.assign(new Error('interrupted'), { name: 'Interrupted' })));

  const interrupted = () => {
    if (over && claim()) failInterrupted();
  };

  /// A loop is interrupted by the one way there is, which takes a script that is begun so.
  const entrance = '__lazaret_cell';
  const starter = new vm.Script(`${entrance}()`, { filename: internalName });

  // What loops behind an `await` hears no signal. Another thread ends it, unless it has ended by
  // then: it claims the cell, and has whatever the main thread does terminated, once. A main thread
  // that does nothing then gets a message to terminate, which one that loops does not read; a script
  // to evaluate would be let into the loop, and end in its place. That thread is begun with the
  // first cell that outlives its first turn.
  const watcher = `
    const { workerData: running, parentPort } = require('worker_threads');
    const inspector = require('inspector');
    const end = (cell) => {
      if (Atomics.compareExchange(running, 0, cell, -1) !== cell) return;
      const session = new inspector.Session();
      session.connectToMainThread();
      session.post('Runtime.terminateExecution', () => {
        session.disconnect();
        parentPort.postMessage(true);
      });
      session.post('Runtime.getIsolateId', () => parentPort.postMessage(false));
    };
    const alarms = new (require('net').Socket)({ fd: 6, readable: true, writable: false });
    alarms.on('data', (cells) => cells.forEach((cell) => setTimeout(end, 50, cell)));`;

  let isWatched = false;
  const watch = () => {
    if (isWatched) return;
    isWatched = true;
    try {
      const { Worker } = library('worker_threads');
      const words = { eval: true, workerData: running, argv: [], execArgv: [], env: {},
        resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 } };
      const thread = new Worker(watcher, words);
      thread.on('error', () => {}).on('message', (ended) => ended && over && failInterrupted());
      thread.unref();
    } catch {
      // No thread is to be had: cells are interrupted as they can be.
    }
  };

  let number = 0;  // of the cell, its last eight bits
  const run = (word) => {
    const [farewell, name] = word.toString('latin1', 0, 4096).split('\0', 2);
    current = farewell;
    filename = name;
    channel.usable = true;
    channel.pending = null;
    shown = 0;
    number = (number + 1) % 256;
    over = {};
    store(running, 0, number);
    ask('releaseObjectGroup', { objectGroup: 'cells' });
    const code = word.toString('utf8', farewell.length + name.length + 2);
    globalThis[entrance] = () => {
      delete globalThis[entrance];
      begin(code);
    };
    try {
      starter.runInThisContext({ breakOnSigint: true });
    } catch {
      interrupted();
    }
    if (over) watch();
  };

  let received = Buffer.alloc(0);
  const take = (piece) => {
    received = Buffer.concat([received, piece]);
    while (received.length >= 4 && received.length >= 4 + received.readUInt32LE(0)) {
      const end = 4 + received.readUInt32LE(0);
      const word = received.subarray(4, end);
      received = received.subarray(end);
      run(word);
    }
  };

  const prepare = () => {
    globalThis[entrance] = held;
    ask('evaluate', { expression: entrance }, (_, { result }) => { heldId = result.objectId; });
    delete globalThis[entrance];
    channel.closes = false;
    globalThis.require = Module.createRequire('/work/cell');
    for (const [name, value] of Object.entries({ display, HTML })) {
      Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
    }
    process.exit = (code = process.exitCode ?? 0) => {
      throw Object.assign(new Exit('process.exit'), { status: Number(code) & 255 });
    };
    process.on('SIGINT', interrupted);
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (error) => {
        cleanStack(error);
        tell(error);
      });
    }
    const words = new net.Socket({ fd: 4, readable: true, writable: false });
    words.on('data', take);
    words.on('close', () => process.reallyExit(0));
  };
  setImmediate(prepare);
}
