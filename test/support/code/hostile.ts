import type { Ending } from '#codemode/sandbox/run.ts'

/** Code that means no good, and how it has to end: by its own result, or by one of these. */
export interface Hostile {
  name: string
  code: string
  ends: readonly (Ending['how'] | { returns: unknown })[]
}

const ends = (how: Hostile['ends'], list: Record<string, string>): Hostile[] =>
  Object.entries(list).map(([name, code]) => ({ name, code, ends: how }))

export const loops = ends(['timeout'], {
  'a loop': 'for (;;) {}',
  'a loop after await': 'await null; for (;;) {}',
  'a loop that catches everything': 'for (;;) { try { for (;;) {} } catch {} finally { continue } }',
  'a loop in a finally': 'try { return 1 } finally { for (;;) {} }',
  'a loop after a call': 'await mcp.a.echo(1); for (;;) {}',
  'a loop in a getter of the result': 'return { get a() { for (;;) {} } }',
  'a loop in toJSON': 'return { toJSON() { for (;;) {} } }',
  'a loop in a proxy': 'return new Proxy({}, { ownKeys() { for (;;) {} } })',
  'a loop in an argument': 'await mcp.a.echo({ get a() { for (;;) {} } })',
  'a loop in what is logged': 'console.log({ toJSON() { for (;;) {} } })',
  'a loop in a thenable': 'return { then() { for (;;) {} } }',
  'a loop in a timer': 'await new Promise(() => setTimeout(() => { for (;;) {} }, 0))',
  'a loop in a generator': 'function* g() { for (;;) yield 1 } for (const x of g()) {}',
  'a loop in a sort': '[3, 1, 2].sort(() => { for (;;) {} })',
  'a storm of microtasks': 'for (;;) await null',
  'a storm that catches':
    'const f = async () => { try { for (;;) await null } catch { return f() } }; await f()',
  'a storm of queueMicrotask': 'const f = () => queueMicrotask(f); f(); await new Promise(() => {})',
  'a storm of rejections': 'for (;;) { try { await Promise.reject(1) } catch {} }',
  'a regular expression': 'return /^(a+)+$/.test("a".repeat(40) + "b")',
  'nested wildcards': 'return /(.*)*(.*)*(.*)*x$/.test("a".repeat(5000))',
  'indexOf in nothing': 'return new Array(2 ** 32 - 1).indexOf(5)',
  'a fill of nothing':
    'const a = []; a.length = 2 ** 32 - 1; a.includes(1); a.lastIndexOf(1); return a.findLast(() => false)',
  'a weak cleanup':
    'const r = new FinalizationRegistry(() => { for (;;) {} }); for (let i = 0; ; i++) r.register({}, i)',
  'Atomics.wait or a loop':
    'try { Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0) } catch {} for (;;) {}',
})

/** Builtins that do not ask whether they may go on: only whoever watches the thread ends them. */
export const stuck = ends(['timeout', 'memory', 'threw'], {
  'split and join': 'let s = "ab".repeat(5e4); for (;;) s.split("").reverse().join("")',
  'a power of BigInt': 'let n = 3n; for (;;) n = n ** 3n % (10n ** 3000n) + 3n',
  'parsing the same again': 'const s = "[" + "1,".repeat(1e5) + "1]"; for (;;) JSON.parse(s)',
  'a large power': 'return String((3n ** (10n ** 7n)) % 7n)',
  'a join of nothing': 'return new Array(2 ** 28).join("abc")',
  replacing: 'let s = "a".repeat(1e6); for (;;) s = s.replaceAll("a", "aaaa")',
  'a deep result': 'let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o',
})

/** What is refused before it takes anything. */
export const refused = ends(['threw'], {
  'a string that doubles': 'let s = "x"; for (;;) s += s + "y"',
  'a BigInt that grows': 'let n = 1n; for (;;) n = n << 1000000n',
})

/** Memory of every kind. */
export const bombs = ends(['memory'], {
  'of kept strings': 'const a = []; for (let i = 0; ; i++) a.push(("x" + i).repeat(10_000))',
  'of arrays': 'const a = []; for (;;) a.push(new Array(1000).fill(1.5))',
  'of objects': 'const a = []; for (;;) a.push({ x: [1, 2, 3] })',
  'of typed arrays': 'const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))',
  'of one buffer': 'return new ArrayBuffer(2 ** 30).byteLength',
  'of a buffer that grows':
    'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 31 - 1 }); b.resize(2 ** 30); return 1',
  'of maps': 'const m = new Map(); for (let i = 0; ; i++) m.set("key" + i, { i })',
  'of sets': 'const m = new Set(); for (let i = 0; ; i++) m.add("key" + i)',
  'of weak maps':
    'const m = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); m.set(o, [1, 2, 3]) }',
  'of weak refs': 'const a = []; for (;;) a.push(new WeakRef({}), {})',
  'of closures':
    'let f = () => 0; for (;;) { const g = f; const x = new Array(100).fill(f); f = () => [g, x] }',
  'of regular expressions':
    'const a = []; for (let i = 0; ; i++) a.push(new RegExp("(a|b)+" + i + "[x-z]{1,200}"))',
  'of symbols': 'const a = []; for (let i = 0; ; i++) a.push(Symbol("s" + i), Symbol.for("t" + i))',
  'of names': 'const o = {}; for (let i = 0; ; i++) o["name" + i] = i',
  'of functions': 'const a = []; for (let i = 0; ; i++) a.push(Function("return " + i))',
  'of promises': 'const a = []; for (;;) a.push(new Promise(() => {}))',
  'of generators': 'function* g() { yield 1 } const a = []; for (;;) { const x = g(); x.next(); a.push(x) }',
  'of ropes': 'let s = "abcdefgh".repeat(1000); const a = []; for (;;) { s = "x" + s + "y"; a.push(s) }',
  'of repeats': 'return "x".repeat(2 ** 30 - 24).length + "y".repeat(2 ** 30 - 24).length',
  'of padding': 'return "x".padEnd(2 ** 30 - 24, "abc").length',
  'of spreading': 'let a = [1]; for (;;) a = [...a, ...a]',
  'of concatenating': 'let a = [1]; for (;;) a = a.concat(a)',
  'of an error chain': 'let e; for (;;) e = new Error("x".repeat(1000), { cause: e })',
  'of microtasks': 'for (;;) Promise.resolve().then(() => {})',
  'of a tagged template':
    'const f = (s) => s; const a = []; for (let i = 0; ; i++) a.push(eval("f`a" + i + "`"))',
})

/** What is done to the builtins before it goes on: it is the run's own, and the run still ends as it should. */
export const pollution: Hostile[] = [
  {
    name: 'toJSON everywhere',
    code: 'Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 1; const r = await mcp.a.echo({ a: 1 }); return [r]',
    ends: [{ returns: 1 }],
  },
  {
    name: 'toJSON of errors',
    code: 'Object.prototype.toJSON = () => null; throw new Error("seen")',
    ends: ['threw'],
  },
  {
    name: 'descriptors',
    code: 'Object.prototype.get = () => 666; Object.prototype.set = 1; Object.prototype.writable = true; try { await mcp.a.fail() } catch (e) { return [e.message, e.kind] }',
    ends: [{ returns: ['no', 'mcp'] }],
  },
  {
    name: 'then of promises',
    code: 'Promise.prototype.then = function () { return 42 }; const r = await mcp.a.echo(7); return r',
    ends: [{ returns: 7 }],
  },
  {
    name: 'then of objects',
    code: 'Object.defineProperty(Object.prototype, "then", { get() { return undefined }, configurable: true }); return await mcp.a.echo({ a: 1 })',
    ends: [{ returns: { a: 1 } }],
  },
  {
    name: 'the constructor of promises',
    code: 'Promise.prototype.constructor = function () { throw 1 }; globalThis.Promise = 5; return 5',
    ends: [{ returns: 5 }],
  },
  {
    name: 'the species of promises',
    code: 'Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("mine") } }); return await mcp.a.echo(1)',
    ends: [{ returns: 1 }, 'threw'],
  },
  {
    name: 'JSON itself',
    code: 'JSON.stringify = () => "[666]"; JSON.parse = () => 666; globalThis.JSON = null; return await mcp.a.echo({ a: [1] })',
    ends: [{ returns: { a: [1] } }],
  },
  {
    name: 'strings',
    code: 'for (const k of Object.getOwnPropertyNames(String.prototype)) try { String.prototype[k] = () => "no" } catch {} globalThis.String = 0; console.log("x", 1, {}); return await mcp.a.echo("s")',
    ends: [{ returns: 's' }],
  },
  {
    name: 'arrays',
    code: 'for (const k of Reflect.ownKeys(Array.prototype)) try { Array.prototype[k] = () => 9 } catch {} Object.defineProperty(Array.prototype, "0", { set() { throw 1 } }); console.log("x", 1); return await mcp.a.echo(3)',
    ends: [{ returns: 3 }],
  },
  {
    name: 'functions',
    code: 'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 0; Reflect.apply = 0; setTimeout(() => {}, 0); return await mcp.a.echo(3)',
    ends: [{ returns: 3 }],
  },
  {
    name: 'numbers of calls',
    code: 'Object.defineProperty(Object.prototype, "1", { get() { return { resolve: () => 0 } }, set() { throw 1 } }); return await mcp.a.echo(3)',
    ends: [{ returns: 3 }],
  },
  {
    name: 'the proxy',
    code: 'globalThis.Proxy = 1; Object.prototype.apply = () => 1; mcp.a.b = 5; delete mcp.a; Object.setPrototypeOf(mcp, {}); return await mcp.a.echo(3)',
    ends: [{ returns: 3 }, 'threw'],
  },
  {
    name: '__proto__ over the bridge',
    code: 'const r = await mcp.a.echo(JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')); return [({}).polluted === undefined, Object.keys(r)]',
    ends: [{ returns: [true, ['__proto__', 'constructor']] }],
  },
  {
    name: 'the clock and chance',
    code: 'Date.now = () => 0; Math.random = () => 0.5; return [Date.now(), Math.random()]',
    ends: [{ returns: [0, 0.5] }],
  },
  {
    name: 'errors that are not',
    code: 'Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); throw { name: { toString() { throw 1 } } }',
    ends: ['threw'],
  },
]

export const oddities: Hostile[] = [
  {
    name: 'a storm of promises',
    code: 'const f = () => Promise.resolve().then(f); await f()',
    ends: ['timeout', 'memory'],
  },
  { name: 'a cycle', code: 'const a = {}; a.a = a; return a', ends: ['threw'] },
  { name: 'a BigInt', code: 'return 1n', ends: ['threw'] },
  { name: 'a BigInt as an argument', code: 'await mcp.a.echo(1n)', ends: ['threw'] },
  { name: 'a function', code: 'return () => 1', ends: [{ returns: undefined }] },
  { name: 'a symbol', code: 'return Symbol("x")', ends: [{ returns: undefined }] },
  { name: 'a getter that throws', code: 'return { get a() { throw new Error("x") } }', ends: ['threw'] },
  {
    name: 'a revoked proxy',
    code: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
    ends: ['threw'],
  },
  {
    name: 'a proxy that lies',
    code: 'return new Proxy([], { get: (_, k) => (k === "length" ? 2 ** 53 : 1) })',
    ends: ['threw', 'memory', 'timeout', 'too-much'],
  },
  { name: 'deep JSON', code: 'return JSON.parse("[".repeat(1e5))', ends: ['threw'] },
  { name: 'deep recursion', code: 'const f = () => f() + 1; return f()', ends: ['threw'] },
  {
    name: 'deep recursion that is caught',
    code: 'const f = () => f() + 1; try { f() } catch (e) { return e.name }',
    ends: [{ returns: 'RangeError' }, { returns: 'InternalError' }],
  },
  {
    name: 'deep recursion through builtins',
    code: 'const f = () => [1].map(f); return f()',
    ends: ['threw', 'crashed'],
  },
  {
    name: 'deep recursion through a proxy',
    code: 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x',
    ends: ['threw', 'crashed', 'memory', { returns: null }],
  },
  {
    name: 'a deep regular expression',
    code: 'return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")',
    ends: ['threw', 'crashed', 'memory', { returns: true }],
  },
  {
    name: 'deep code',
    code: `return ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ends: ['threw', 'crashed', 'memory'],
  },
  { name: 'a result of 100 MB', code: 'return "x".repeat(100e6)', ends: ['too-much', 'memory'] },
  {
    name: 'an argument of 100 MB',
    code: 'await mcp.a.echo("x".repeat(100e6))',
    ends: ['too-much', 'memory'],
  },
  {
    name: 'a line of 100 MB',
    code: 'console.log("x".repeat(40e6)); return 1',
    ends: [{ returns: 1 }, 'memory'],
  },
  { name: 'a name of 1 MB', code: 'await mcp.a["x".repeat(1e6)]()', ends: ['too-much'] },
  { name: 'lines without end', code: 'for (;;) console.log("")', ends: ['timeout'] },
  { name: 'calls without end', code: 'for (;;) await mcp.a.echo(1)', ends: ['too-much', 'timeout'] },
  {
    name: '10,000 pending calls',
    code: 'await Promise.all(Array.from({ length: 10_000 }, () => mcp.a.never()))',
    ends: ['too-much'],
  },
  {
    name: '10,000 pending timers',
    code: 'for (let i = 0; i < 10_000; i++) setTimeout(() => {}, 1e9); await new Promise(() => {})',
    ends: ['too-much'],
  },
  {
    name: 'arguments that are large together',
    code: 'const s = "x".repeat(1e6); for (let i = 0; i < 900; i++) mcp.a.never(s); await mcp.a.never()',
    ends: ['too-much'],
  },
  { name: 'a promise that nobody settles', code: 'await new Promise(() => {})', ends: ['threw'] },
  {
    name: 'a promise that nobody settles, after a call',
    code: 'await mcp.a.echo(1); await new Promise(() => {})',
    ends: ['threw'],
  },
  { name: 'a thenable that never answers', code: 'return { then() {} }', ends: ['threw'] },
  { name: 'a tool named export', code: 'return await mcp.export.export(1)', ends: [{ returns: 1 }] },
  { name: 'a tool named __proto__', code: 'return await mcp.__proto__.__proto__(1)', ends: [{ returns: 1 }] },
  {
    name: 'a tool named constructor',
    code: 'return await mcp.constructor.constructor("return this")',
    ends: [{ returns: 'return this' }],
  },
  {
    name: 'a tool named then',
    code: 'return [await mcp.then, await mcp.a.then, typeof (await mcp.a)]',
    ends: [{ returns: [null, null, 'object'] }],
  },
  { name: 'the tools as a result', code: 'return [mcp, mcp.a]', ends: [{ returns: [{}, {}] }] },
  { name: 'thrown nothing', code: 'throw undefined', ends: ['threw'] },
  { name: 'thrown proxy', code: 'throw new Proxy(new Error("x"), { get() { throw 1 } })', ends: ['threw'] },
  { name: 'broken code', code: '}); for (;;) {} (() => {', ends: ['timeout', 'threw'] },
  {
    name: 'code that ends its function',
    code: '}), globalThis.leak = 1, (async () => {',
    ends: [{ returns: undefined }],
  },
]

export const hostile: readonly Hostile[] = [...loops, ...refused, ...bombs, ...pollution, ...oddities]

/** How it ended, when that is not how it should. */
export function wrongEnding({ ends: allowed }: Hostile, ending: Ending): string | undefined {
  const isRight = allowed.some((one) =>
    typeof one === 'string'
      ? one === ending.how
      : ending.how === 'returned' && ending.text === (JSON.stringify(one.returns) ?? ''),
  )
  return isRight ? undefined : JSON.stringify(ending)
}
