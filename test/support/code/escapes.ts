// Ways out of other sandboxes, as they became known for vm2, isolated-vm, safe-eval, notevil, jailed, static-eval, realms and node:vm,
// each in its own words. All of them lead to an object of the host and from there to its Function. `look` follows what was
// found by every way that we know, and tells the names of whatever is not of this sandbox alone.
const look = String.raw`
const hostNames = ['process', 'require', 'module', 'exports', 'Buffer', 'global', '__dirname', 'setImmediate', 'Deno', 'Bun', 'WebAssembly', 'importScripts', 'std', 'os', 'bjs', 'scriptArgs', 'print', 'loadScript', 'XMLHttpRequest', 'WebSocket', 'Worker', 'postMessage', 'workerData']
const found = []
const seen = new Set()
const look = (value, depth = 0) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value) || depth > 4) return
  seen.add(value)
  for (const name of hostNames) { try { if (value[name] !== undefined && value !== mcp && depth < 2 && value === Object(value) && !isTool(value)) found.push(name) } catch {} }
  try { const other = value.constructor.constructor('return globalThis')(); if (!isTool(value) && other !== globalThis && other?.Object) { found.push('another global'); look(other, depth + 1) } } catch {}
  let keys = []
  try { keys = Reflect.ownKeys(value) } catch {}
  for (const key of keys) { try { const d = Object.getOwnPropertyDescriptor(value, key); look('value' in d ? d.value : d.get, depth + 1) } catch {} }
  try { look(Object.getPrototypeOf(value), depth + 1) } catch {}
}
const tools = new Set([mcp, mcp.a, mcp.constructor])
const isTool = (value) => tools.has(value)
`

const escape = (name: string, code: string): { name: string; code: string } => ({
  name,
  code: `${look}\n${code}\nreturn [...new Set(found)]`,
})

/** That `look` sees what there is to see. */
export const planted = escape('something planted', 'look({ a: { process: { env: {} } } })')

export const escapes = [
  escape('what is global', 'look(globalThis)'),
  escape('this of a sloppy function', 'look(new Function("return this")())'),
  escape(
    'the constructor of a constructor',
    'look(this?.constructor?.constructor("return this")() ?? (0, eval)("this"))',
  ),
  escape(
    'the constructor of our functions',
    'for (const f of [console.log, fetch, fs.readFile, setTimeout, mcp.a.echo]) { look(f); look(f.constructor("return this")()) }',
  ),
  escape(
    'the constructor of a result',
    'const r = await mcp.a.echo({ a: [{}] }); look(r); look(r.a); look(r.a[0]); look(r.constructor.constructor("return this")())',
  ),
  escape(
    'the constructor of context',
    'look(context); look(context.constructor.constructor("return this")())',
  ),
  escape(
    'the constructor of an error of the host',
    'try { await mcp.a.fail() } catch (e) { look(e); look(e.details); look(e.constructor.constructor("return this")()) }',
  ),
  escape(
    'the constructor of a promise of the host',
    'const p = mcp.a.echo(1); look(p); look(p.constructor.constructor("return this")()); await p',
  ),
  escape(
    'the prototype of a proxy of the host',
    'look(Object.getPrototypeOf(mcp)); look(Object.getPrototypeOf(mcp.a.echo)); look(Reflect.ownKeys(mcp)); look(Object.getOwnPropertyDescriptors(console))',
  ),
  escape(
    'symbols of functions of the host',
    'for (const f of [console.log, fetch, setTimeout, mcp.a.echo, fs.readFile]) for (const s of Object.getOwnPropertySymbols(f)) look(f[s])',
  ),
  escape(
    'preparing a stack',
    'try { Error.prepareStackTrace = (_, frames) => { for (const f of frames) { look(f); look(f.getThis?.()); found.push(f.getFunction?.()) } return frames } } catch {} try { null.x } catch (e) { look(e.stack) } look(new Error().stack)',
  ),
  escape(
    'preparing a stack by definition',
    'try { Object.defineProperty(Error, "prepareStackTrace", { value: (_, f) => f }) } catch {} look(new Error().stack); const o = {}; Error.captureStackTrace?.(o); look(o.stack)',
  ),
  escape(
    'preparing a stack in a class of errors',
    'class E extends Error { static prepareStackTrace(_, f) { look(f); return f } } look(new E().stack)',
  ),
  escape(
    'preparing a stack of the host',
    'Object.prototype.prepareStackTrace = (_, f) => f; try { await mcp.a.echo({ toJSON() { throw new Error() } }) } catch (e) { look(e.stack) }',
  ),
  escape(
    'the depth of a stack',
    'Error.stackTraceLimit = Infinity; const f = (n) => n ? f(n - 1) : new Error().stack; look(f(50)); try { (function g() { g() })() } catch (e) { look(e); look(e.constructor.constructor("return this")()) }',
  ),
  escape(
    'an error from the end of the stack',
    'const f = () => { try { f() } catch (e) { look(e); throw e } }; try { f() } catch (e) { look(e.constructor.constructor("return this")()) }',
  ),
  escape(
    'an error from the end of the stack in a call',
    'const f = () => { try { return f() } catch { try { mcp.a.echo({}) } catch (e) { look(e) } console.log("x") } }; f()',
  ),
  escape(
    'callers',
    'function f() { return f.caller } try { look(f()) } catch {} try { look((function () { return arguments.callee.caller })()) } catch {} try { look(Function("return arguments.callee.caller")()) } catch {}',
  ),
  escape(
    'callers of a getter',
    'const o = { get a() { try { look(Function.prototype.caller) } catch {} try { look(arguments.callee) } catch {} return 1 } }; await mcp.a.echo(o)',
  ),
  escape(
    'the species of arrays',
    'class A extends Array { static get [Symbol.species]() { return function () { return new Proxy([], { set: (t, k, v) => { look(v); return true }, defineProperty: (t, k, d) => { look(d.value); return true } }) } } } const r = await mcp.a.echo([1]); Object.setPrototypeOf(r, A.prototype); r.map((x) => x); console.log(r)',
  ),
  escape(
    'the species of promises',
    'class P extends Promise { constructor(f) { super((a, b) => { look(a); look(b); f(a, b) }) } static get [Symbol.species]() { return P } } const p = mcp.a.echo(1); p.constructor = P; look(p.then((x) => x)); await p',
  ),
  escape(
    'then of a promise of the host',
    'const then = Promise.prototype.then; Promise.prototype.then = function (a, b) { look(this); look(a); look(b); return then.call(this, a, b) }; try { await mcp.a.echo(1) } finally { Promise.prototype.then = then }',
  ),
  escape(
    'then of a result',
    'Object.defineProperty(Object.prototype, "then", { configurable: true, get() { look(this); return undefined } }); await mcp.a.echo({}); delete Object.prototype.then',
  ),
  escape(
    'catch and finally of a promise of the host',
    'const p = mcp.a.fail(); p.catch(look); p.finally(function () { look(this) }).catch(look); await p.catch(() => 1)',
  ),
  escape(
    'await of an async function of the host',
    'const F = (async () => {}).constructor; look(F("return this")); look(await F("return globalThis")()); look((function* () {}).constructor("return this")().next().value); look((async function* () {}).constructor)',
  ),
  escape(
    'handlers of proxies',
    'const h = new Proxy({}, { get: (t, k) => (...a) => { for (const x of a) look(x); return Reflect[k]?.(...a) } }); const p = new Proxy({ a: 1 }, h); try { await mcp.a.echo(p) } catch {} console.log(p); try { await fetch(p, p) } catch {}',
  ),
  escape(
    'a proxy as an error',
    'try { await mcp.a.echo(new Proxy({}, { get(t, k, r) { look(r); throw new Proxy(new Error(), { get: (t, k, r) => { look(r); return undefined }, getPrototypeOf: (t) => { look(t); return Error.prototype } }) } })) } catch (e) { look(e) }',
  ),
  escape(
    'a proxy as a function to the host',
    'const f = new Proxy(() => 1, { apply: (t, self, a) => { look(self); look(a) } }); await new Promise((r) => setTimeout(new Proxy(f, { apply: (t, self, a) => { look(self); for (const x of a) look(x); r() } }), 0))',
  ),
  escape(
    'toString of what is given',
    'await mcp.a.echo({ toString() { look(this); look(new Error().stack) }, valueOf() { look(this) }, [Symbol.toPrimitive]() { look(this) } }); const u = { toString: () => { try { look(arguments) } catch {} return "x" } }; await fetch(u).catch(look)',
  ),
  escape(
    'inspecting what is logged',
    'const i = Symbol.for("nodejs.util.inspect.custom"); console.log({ [i](d, o, inspect) { look(o); look(inspect) }, inspect: look, toString: () => "x" }); const c = Symbol.for("nodejs.util.promisify.custom"); look(setTimeout[c])',
  ),
  escape(
    'the trap of the result',
    'found.push(...[]); const r = { get toJSON() { look(this); return undefined } }; JSON.stringify(r)',
  ),
  escape(
    'modules',
    'for (const m of ["fs", "node:fs", "os", "std", "bjs", "qjs:os", "qjs:std", "qjs:bjs", "file:///etc/passwd", "/etc/passwd", "./guest", "code", "data:text/javascript,1"]) try { found.push(m, await import(m)) } catch {}',
  ),
  escape(
    'what belongs to modules',
    'try { look((0, eval)("import.meta")) } catch {} try { look(new Function("return import.meta")()) } catch {} try { look(eval("new.target")) } catch {}',
  ),
  escape(
    'names of Node',
    'for (const n of hostNames) { try { look((0, eval)(n)); if ((0, eval)("typeof " + n) !== "undefined") found.push(n) } catch {} }',
  ),
  escape(
    'names of QuickJS',
    'for (const n of ["std", "os", "bjs", "scriptArgs", "print", "__loadScript", "navigator", "gc", "c", "l", "d", "__begin", "__settle", "taken"]) if (n in globalThis) found.push(n)',
  ),
  escape('machines', 'if (typeof WebAssembly !== "undefined") found.push("WebAssembly")'),
  escape(
    'memory that is shared',
    'if (typeof SharedArrayBuffer !== "undefined") { const s = new SharedArrayBuffer(1024); look(s); if (new Uint8Array(s).some((b) => b !== 0)) found.push("memory of others") }',
  ),
  escape(
    'waiting for memory',
    'if (typeof Atomics !== "undefined" && typeof SharedArrayBuffer !== "undefined") try { found.push("waits " + Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)) } catch {}',
  ),
  escape(
    'memory that nobody wiped',
    'for (let i = 0; i < 50; i++) { const b = new Uint8Array(4096); if (b.some((x) => x !== 0)) found.push("memory of others") } const t = new ArrayBuffer(8, { maxByteLength: 1 << 16 }); t.resize(1 << 16); if (new Uint8Array(t).some((x) => x !== 0)) found.push("memory of others")',
  ),
  escape(
    'a buffer that is taken away in the middle',
    'const b = new ArrayBuffer(64, { maxByteLength: 1 << 16 }); const v = new Uint8Array(b); try { v.fill({ valueOf() { b.resize(0); return 7 } }) } catch {} try { const a = new Uint8Array(8); a.subarray(0, { valueOf() { a.buffer.transfer?.(); return 8 } }).fill(1) } catch {} try { [3, 2, 1].sort.call(v, () => { b.resize(1 << 16); return 1 }) } catch {}',
  ),
  escape(
    'an array that shrinks in the middle',
    'const a = Array.from({ length: 1000 }, (_, i) => i); try { a.splice(0, { valueOf() { a.length = 0; return 500 } }) } catch {} try { a.sort(() => { a.length = 0; return 1 }) } catch {} try { a.concat({ length: 1e6, [Symbol.isConcatSpreadable]: true, get 0() { a.length = 1; return 1 } }).length } catch {} look(a)',
  ),
  escape(
    'a regular expression that changes in the middle',
    'const r = /a/g; try { "aaaa".replace(r, () => { r.compile?.("b".repeat(1000)); return "x" }) } catch {} r.lastIndex = { valueOf() { r.compile?.("c"); return 1e9 } }; try { look(r.exec("aaa")) } catch {}',
  ),
  escape(
    'bytecode',
    'for (const f of [console.log, fetch, mcp.a.echo, look]) if (!/native code|=>|function|\\{/.test(Function.prototype.toString.call(f))) found.push("code"); for (const k of ["bytecode", "readObject", "writeObject", "evalScript", "loadModule"]) if (k in globalThis) found.push(k)',
  ),
  escape(
    'the source of what is ours',
    'for (const f of [console.log, fetch, mcp.a.echo, setTimeout]) { const s = String(f); if (s.includes(".ts") || s.includes("node:") || s.includes("file:")) found.push("a path") }',
  ),
  escape(
    'paths in a stack',
    'try { await mcp.a.fail() } catch (e) { if (/\\/|\\.ts|node:|file:/.test(e.stack ?? "")) found.push("a path") } try { null.x } catch (e) { if (/\\.ts|node:|file:|wasm/.test(e.stack ?? "")) found.push("a path") }',
  ),
  escape(
    'accessors of the oldest kind',
    'look(({}).__lookupGetter__("__proto__")); look(({}).__lookupGetter__("__proto__").constructor("return this")()); Object.prototype.__defineGetter__.call(globalThis, "process", () => undefined); look(Buffer_())\nfunction Buffer_() { try { return Buffer } catch { return undefined } }',
  ),
  escape(
    'with, and names that cannot be had',
    'try { look(new Function("with (new Proxy({}, { has: () => true, get: (t, k) => k === Symbol.unscopables ? undefined : globalThis[k] })) { return typeof process === \'undefined\' ? undefined : process }")()) } catch {}',
  ),
  escape(
    'a label of a template',
    'const t = (s) => s; look(t`a`); look(t`a`.raw); look(t`a`.constructor.constructor("return this")())',
  ),
  escape(
    'who is told of what is collected',
    'const r = new FinalizationRegistry((h) => look(h)); (() => r.register({}, {}))(); const w = new WeakRef({}); look(w.deref()); await mcp.a.echo(1)',
  ),
  escape(
    'what timers hand over',
    'await new Promise((r) => { const id = setTimeout(function () { look(this); look(arguments); r() }, 0); look(Object(id)); clearTimeout({ valueOf: () => { look(this) } }) })',
  ),
  escape(
    'what an answer hands over',
    'try { const a = await fetch("https://example.com"); look(a); look(a.headers); look(a.headers.get("constructor")); look(a.headers.get("__proto__")) } catch (e) { look(e) }',
  ),
  escape(
    'our functions with another this',
    'for (const f of [console.log, fetch, setTimeout, mcp.a.echo, fs.readFile]) for (const t of [null, globalThis, mcp, Object.prototype]) try { look(await Promise.race([f.call(t, () => {}), null])) } catch (e) { look(e) }',
  ),
  escape(
    'our functions as constructors',
    'for (const f of [console.log, fetch, setTimeout, mcp.a.echo, fs.readFile]) { try { look(new f("x")) } catch (e) { look(e) } try { look(Reflect.construct(Object, [], f)) } catch (e) { look(e) } }',
  ),
]
