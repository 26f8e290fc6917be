/**
 * Runs inside, once, before the image is taken: what user code finds there. It speaks to us by three functions, in strings alone,
 * and uses only builtins that it has taken for itself before anybody could change them.
 */
export const guest = String.raw`
(() => {
  'use strict'
  const call = globalThis.c, log = globalThis.l, done = globalThis.d
  delete globalThis.c; delete globalThis.l; delete globalThis.d
  const { stringify, parse } = JSON
  const OwnPromise = Promise, OwnError = Error, OwnTypeError = TypeError, OwnProxy = Proxy, OwnString = String
  const { create, defineProperty, freeze, keys } = Object
  const { apply, ownKeys } = Reflect
  const isArray = Array.isArray
  const then = OwnPromise.prototype.then, slice = OwnString.prototype.slice, join = Array.prototype.join
  const imul = Math.imul
  const errorText = (error) => {
    try {
      if (!(error instanceof OwnError)) return stringify({ name: 'Error', message: say(error), thrown: true })
      return stringify({ name: OwnString(error.name), message: OwnString(error.message), stack: OwnString(error.stack ?? ''), kind: error.kind, code: error.code, details: error.details })
    } catch { return '{"name":"Error","message":"An error that cannot be told"}' }
  }
  const say = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof OwnError) return OwnString(value.stack ? value + '\n' + value.stack : value)
    if (typeof value === 'bigint') return value + 'n'
    if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return OwnString(value)
    try { return stringify(value) ?? OwnString(value) } catch (error) { return '[' + OwnString(error && error.message) + ']' }
  }
  const hidden = (target, name, value) => defineProperty(target, name, { value, writable: false, enumerable: false, configurable: false })

  let last = 0
  const waiting = create(null)
  const ask = (kind, name, given) => new OwnPromise((resolve, reject) => {
    const id = ++last
    let text
    try { text = stringify(given) } catch (error) { return reject(new OwnTypeError('The arguments of ' + name + ' cannot be sent: ' + (error && error.message))) }
    waiting[id] = { resolve, reject }
    call(id, kind, name, text ?? '[]')
  })

  const space = (namespace) => new OwnProxy(create(null), {
    get: (_, tool) => typeof tool === 'string' && tool !== 'then' ? (...given) => ask('mcp', namespace + '.' + tool, given) : undefined,
    set: () => false, defineProperty: () => false, deleteProperty: () => false,
  })
  const spaces = create(null)
  hidden(globalThis, 'mcp', new OwnProxy(create(null), {
    get: (_, name) => typeof name === 'string' && name !== 'then' ? (spaces[name] ??= space(name)) : undefined,
    set: () => false, defineProperty: () => false, deleteProperty: () => false,
  }))

  const levels = create(null)
  for (const level of ['log', 'info', 'warn', 'error', 'debug'])
    levels[level] = (...given) => { const parts = []; for (let i = 0; i < given.length; i++) parts[i] = say(given[i]); log(level, apply(join, parts, [' '])) }
  hidden(globalThis, 'console', freeze(levels))

  class Answer {
    #text
    constructor(told) { this.status = told.status; this.statusText = told.statusText; this.ok = told.status >= 200 && told.status < 300; this.url = told.url; this.headers = new Fields(told.headers); this.#text = told.body }
    async text() { return this.#text }
    async json() { return parse(this.#text) }
  }
  class Fields {
    #of
    constructor(of) { this.#of = of }
    get(name) { const found = this.#of[OwnString(name).toLowerCase()]; return found === undefined ? null : found }
    has(name) { return this.get(name) !== null }
    *entries() { for (const name of keys(this.#of)) yield [name, this.#of[name]] }
    [Symbol.iterator]() { return this.entries() }
  }
  hidden(globalThis, 'fetch', async (url, options = {}) => {
    const { method, headers, body } = options ?? {}
    const fields = create(null)
    if (headers) for (const [name, value] of typeof headers.entries === 'function' ? headers.entries() : isArray(headers) ? headers : keys(headers).map((name) => [name, headers[name]])) fields[name] = OwnString(value)
    return new Answer(await ask('network', 'fetch', [{ url: OwnString(url), method: method === undefined ? 'GET' : OwnString(method), headers: fields, ...(body === undefined || body === null ? {} : { body: OwnString(body) }) }]))
  })
  const files = create(null)
  for (const [name, kind] of [['readFile', 'read'], ['writeFile', 'write'], ['readdir', 'list']]) files[name] = (...given) => ask('files', kind, given)
  hidden(globalThis, 'fs', freeze(files))

  const timers = create(null)
  let lastTimer = 0
  hidden(globalThis, 'setTimeout', (work, ms, ...given) => {
    const id = ++lastTimer
    timers[id] = true
    apply(then, ask('timer', 'sleep', [+ms || 0]), [() => { if (timers[id]) { delete timers[id]; work(...given) } }])
    return id
  })
  hidden(globalThis, 'clearTimeout', (id) => { delete timers[id] })

  let a = 1, b = 2, c = 3, d = 4
  defineProperty(Math, 'random', { value: () => {
    const t = (a + b | 0) + d | 0
    d = d + 1 | 0; a = b ^ b >>> 9; b = c + (c << 3) | 0; c = (c << 21 | c >>> 11) + t | 0
    return (t >>> 0) / 4294967296
  } })

  globalThis.__settle = (id, isFine, text) => {
    const one = waiting[id]
    if (!one) return
    delete waiting[id]
    if (isFine) return one.resolve(text === '' ? undefined : parse(text))
    const told = parse(text)
    const error = new OwnError(told.message)
    if (told.name) hidden(error, 'name', told.name)
    if (told.code) error.code = told.code
    if (told.kind) hidden(error, 'kind', told.kind)
    if (told.details !== undefined) error.details = told.details
    one.reject(error)
  }
  globalThis.__begin = (work, setting) => {
    const { seed, context } = parse(setting)
    a = seed[0] | 0; b = seed[1] | 0; c = seed[2] | 0; d = seed[3] | 0
    for (let i = 0; i < 12; i++) Math.random()
    hidden(globalThis, 'context', context)
    const fail = (error) => done(0, errorText(error))
    let promise
    try { promise = work() } catch (error) { return fail(error) }
    apply(then, promise, [(value) => {
      let text
      try { text = stringify(value) } catch (error) { return fail(new OwnTypeError('The result cannot be sent: ' + (error && error.message))) }
      done(1, text === undefined ? 'null' : text)
    }, fail])
  }
})()`
