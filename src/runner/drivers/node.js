// What node has for its programs: a value, or the error that ended it, goes as one JSON document to
// descriptor 3. javascript.js follows, then node_run.js or node_cells.js, which ends the block.
'use strict';
{
  const fs = require('fs');
  const vm = require('vm');
  const { types } = require('util');
  const Module = require('module');
  const library = require;  // the global one is taken away below

  // Stacks show node's own frames under such names; people and tools know to skip them.
  const internalName = 'node:internal/lazaret';

  let filename;  // of what runs
  const denied = ['EACCES', 'EPERM', 'EROFS'];

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
    closes: true,
    pending: null,
    keep(text) { this.pending = text; },
    keepError(...said) { this.keep(errorDocument(...said)); },
    isCut: false,
    /// An interrupt may cut it off: it ends then where the next begins.
    write(text, closes = false) {
      try {
        let rest = Buffer.from((this.isCut ? '\n' : '') + text);
        this.isCut = true;
        while (rest.length > 0) rest = rest.subarray(fs.writeSync(3, rest));
        if (closes) fs.closeSync(3);
      } catch {
        // The reader has gone; the program's own fate does not depend on it.
      }
      this.isCut = false;
    },
    send() {
      if (!this.usable || this.pending === null) return;
      this.usable = false;
      this.write(this.pending, this.closes);
    },
  };

  /// What is no JSON is an error, unless it is shown otherwise.
  const keepValue = (value, isShown) => {
    if (value !== undefined && channel.usable) channel.keep(valueDocument(value, isShown));
  };

  const withoutOurFrames = (stack) =>
    String(stack).split('\n').filter((line) => !line.includes(internalName)
      && !line.includes('[eval]')).join('\n');

  let compiling = true;
  const typeOf = (error) => {
    if (compiling && error instanceof SyntaxError) return 'SyntaxError';
    // Only errors of the system's own have both; a getter of the program's is not asked.
    const code = types.isNativeError(error) && Object.getOwnPropertyDescriptor(error, 'code');
    return code && denied.includes(code.value) ? 'PermissionDenied' : 'RuntimeError';
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

  process.execArgv.length = 0;
  delete process._eval;
  process.nextTick(restoreGlobals);  // not sooner: --eval itself puts `module` back
