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

  /// A connection to where the options lead, by way of an HTTP proxy.
  const tunnel = (way, { hostname, protocol, port, servername }, done) => {
    const isSecure = protocol === 'https:';
    const place = `${hostname}:${port || (isSecure ? 443 : 80)}`;
    const asked = library('http').request({ host: way.hostname, port: way.port, method: 'CONNECT',
      path: place, headers: { host: place }, agent: false });
    asked.once('error', done);
    asked.once('connect', ({ statusCode }, socket) => {
      if (statusCode !== 200) socket.destroy();
      if (statusCode !== 200) return done(new Error(`the way out says ${statusCode} to ${place}`));
      if (!isSecure) return done(null, socket);
      const secure = library('tls').connect({ socket, servername: servername || hostname });
      secure.once('error', done).once('secureConnect', () => done(null, secure));
    });
    asked.end();
  };

  /// Before versions 22.21 and 24.5 node's own fetch knows no proxy: where there is a way out, the
  /// first call has it led there.
  const leadFetchOut = () => {
    const { NODE_USE_ENV_PROXY, HTTPS_PROXY, NO_PROXY = '' } = process.env;
    const [major, minor] = process.versions.node.split('.').map(Number);
    const knows = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
    const plain = globalThis.fetch;
    if (knows || NODE_USE_ENV_PROXY !== '1' || !HTTPS_PROXY || !plain) return;
    const lead = async () => {
      await plain('data:,');  // from here on there is one who connects
      const key = Symbol.for('undici.globalDispatcher.1');
      const Agent = globalThis[key]?.constructor;
      if (!Agent) return;
      const direct = new Agent();
      const led = new Agent({ connect: (options, done) => tunnel(new URL(HTTPS_PROXY), options, done) });
      const near = NO_PROXY.split(',');
      const { dispatch } = led;
      led.dispatch = function (options, handler) {
        const isNear = near.includes(new URL(options.origin).hostname.replace(/^\[|\]$/g, ''));
        return isNear ? direct.dispatch(options, handler) : dispatch.call(led, options, handler);
      };
      globalThis[key] = led;
    };
    let isLed;
    const fetch = async (...asked) => {
      await (isLed ??= lead());
      return plain(...asked);
    };
    Object.defineProperty(globalThis, 'fetch',
      { value: fetch, writable: true, configurable: true, enumerable: true });
  };

  leadFetchOut();
  process.execArgv.length = 0;
  delete process._eval;
  process.nextTick(restoreGlobals);  // not sooner: --eval itself puts `module` back
