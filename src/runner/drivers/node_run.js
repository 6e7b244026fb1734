
  // Runs the file named by the first argument the way `node FILE` does, but inside an async
  // function, so that `return` gives a value and `await` works. Source text in ES module syntax
  // runs as a module. Without an argument it is ahead of its program: it says on descriptor 3 that
  // it waits, and reads on descriptor 4 what it is to run, with which arguments, and a farewell.
  const path = require('path');
  const { pathToFileURL } = require('url');

  process.on('uncaughtExceptionMonitor', (error) => {
    if (process.listenerCount('uncaughtException') > 0) return;  // the program goes on
    channel.keepError(typeOf(error), ...describe(error));
  });

  /// What most programs use, and none sees that it is there: a stream of our own, but not theirs.
  const loadCommon = () => {
    for (const name of ['net', 'tty']) library(name);
    const { Writable } = library('stream');
    new console.Console(new Writable({ write() {} })).log('%s', {});
  };

  const place = () => {
    try {
      const { dev, ino } = fs.fstatSync(3);
      return `${dev}:${ino}`;
    } catch {
      return '';
    }
  };

  // What node's own end depends on, and where the farewell is heard.
  const { _getActiveRequests: activeRequests } = process;
  const state = () => [process.moduleLoadList.length, place(), process.listenerCount('exit'),
    activeRequests?.call(process).length ?? NaN, process.emit, process.reallyExit];

  const { wait: sleep } = Atomics;
  const never = new Int32Array(new SharedArrayBuffer(4));
  let farewell = '';  // of who was ahead
  let known;          // the state then
  const wait = () => {
    loadCommon();
    const startClock = stopClock();
    known = state();
    fs.writeSync(3, 'waiting');
    const word = fs.readFileSync(4, 'utf8');
    fs.closeSync(4);
    if (word === '') process.reallyExit(0);  // nobody needs it any more
    const stood = startClock() / 1000;
    const { uptime } = process;
    Object.assign(process, { uptime() { return uptime() - stood; } });
    const words = word.split('\0');
    farewell = words.pop();
    process.argv.push(...words);
  };

  /// Whether node's own end, which takes longer than most programs, would do nothing that can be
  /// seen: the program has no listener, module, library or file that is being written of its own.
  const endsAtOnce = (status) => farewell !== '' && status === 0
    && process.env.NODE_V8_COVERAGE === undefined && Object.keys(Module._cache).length <= 1
    && state().every((value, index) => value === known[index]);

  process.on('exit', (status) => {
    const leaves = endsAtOnce(status);
    channel.closes = !leaves;
    channel.send();
    if (!leaves) return;
    channel.write(farewell);
    sleep(never, 0, 0, 100);  // and is killed, unless it was not heard
  });
  const isAhead = process.argv.length === 1;
  if (isAhead) wait();

  filename = process.argv[1];
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

  /// node takes a .js file for a module when the package says so; the note lasts as long as we do,
  /// and that of who was killed until the next of us comes.
  const note = path.join(directory, 'package.json');
  const noted = '{"type":"module","description":"of the program that runs"}\n';
  const removeNote = () => {
    try {
      if (fs.readFileSync(note, 'utf8') === noted) fs.rmSync(note);
    } catch {
      // There is none.
    }
  };

  const runAsModule = () => {
    if (!fs.existsSync(note)) {
      fs.writeFileSync(note, noted);
      process.on('exit', removeNote);
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

  const main = () => {
    const source = fs.readFileSync(filename, 'utf8').replace(/^\uFEFF/, '').replace(/^#!/, '//');
    if (defaultLoader && /\bimport\s*\(/.test(source)) importQuietly();
    removeNote();
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

  // WHY in a turn of its own: timers count from the loop's time, which has stood still.
  if (isAhead) setImmediate(main);
  else main();
}
