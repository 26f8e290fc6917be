/**
 * Runs inside, once, before the image is taken: what user code finds there. It speaks to us by three functions, in strings alone. User
 * code may change every builtin: what is here uses only those that it has taken for itself before, and objects without a prototype.
 */
export const guest = String.raw`
(() => {
  'use strict'
  const call = globalThis.c, log = globalThis.l, done = globalThis.d
  delete globalThis.c; delete globalThis.l; delete globalThis.d
  const { stringify, parse } = JSON
  const OwnPromise = Promise, OwnError = Error, OwnTypeError = TypeError, OwnProxy = Proxy, OwnString = String
  const { create, defineProperty, freeze, keys, setPrototypeOf } = Object
  const { apply } = Reflect
  const isArray = Array.isArray
  const then = OwnPromise.prototype.then, lower = OwnString.prototype.toLowerCase
  const put = (target, name, value, isFixed) => defineProperty(target, name, { __proto__: null, value, writable: !isFixed, enumerable: !isFixed, configurable: !isFixed })
  const hidden = (target, name, value) => put(target, name, value, true)
  const reason = (error) => { try { return OwnString(error && error.message) } catch { return 'it cannot be told why' } }
  // What was told to us of errors that we have made. Code can throw what looks like them, and change them: what they are is read here.
  const outside = new WeakMap(), { get: toldOf, set: noteTold } = WeakMap.prototype
  const errorText = (error) => {
    try {
      if (!(error instanceof OwnError)) return stringify({ __proto__: null, name: 'Error', message: say(error), thrown: true })
      const told = apply(toldOf, outside, [error])
      const { kind, code, details } = told === undefined ? create(null) : setPrototypeOf(parse(told), null)
      return stringify({ __proto__: null, name: OwnString(error.name), message: OwnString(error.message), stack: OwnString(error.stack ?? ''), kind, code, details })
    } catch { return '{"name":"Error","message":"An error that cannot be told"}' }
  }
  const say = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof OwnError) return OwnString(value.stack ? value + '\n' + value.stack : value)
    if (typeof value === 'bigint') return value + 'n'
    if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return OwnString(value)
    try { return stringify(value) ?? OwnString(value) } catch (error) { return '[' + reason(error) + ']' }
  }
  const listText = (given) => {
    let text = '['
    for (let i = 0; i < given.length; i++) text += (i === 0 ? '' : ',') + (stringify(given[i]) ?? 'null')
    return text + ']'
  }

  // What failed and was never awaited is told at the end: until then somebody may still come to await it.
  const unheard = new Map(), { set: keep, delete: drop, forEach } = Map.prototype
  const tellUnheard = () => {
    let left = 20
    apply(forEach, unheard, [(error) => {
      if (left-- > 0) try { log('error', 'This failed, and nobody awaited it: ' + say(error)) } catch {}
    }])
  }

  let last = 0
  const waiting = create(null)
  const ask = (kind, name, given) => new OwnPromise((resolve, reject) => {
    let text
    try { text = listText(given) } catch (error) { return reject(new OwnTypeError('The arguments of ' + name + ' cannot be sent: ' + reason(error))) }
    const id = ++last
    waiting[id] = { __proto__: null, resolve, reject, place: new OwnError().stack }
    call(id, kind, name, text)
  })

  // What has a then is taken for a promise, and what has a toJSON is asked for its own: neither is a call.
  const isName = (name) => typeof name === 'string' && name !== 'then' && name !== 'toJSON'
  const named = (get) => new OwnProxy(create(null), freeze({
    __proto__: null,
    get: (_, name) => isName(name) ? get(name) : undefined,
    set: () => false, defineProperty: () => false, deleteProperty: () => false, setPrototypeOf: () => false, preventExtensions: () => false,
  }))
  const spaces = create(null)
  const space = (namespace) => named((tool) => (...given) => ask('mcp', namespace + '.' + tool, given))
  hidden(globalThis, 'mcp', named((name) => spaces[name] ??= space(name)))

  const levels = create(null)
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
    const told = level === 'log' ? 'info' : level
    levels[level] = (...given) => {
      let text = ''
      for (let i = 0; i < given.length; i++) text += (i === 0 ? '' : ' ') + say(given[i])
      log(told, text)
    }
  }
  hidden(globalThis, 'console', freeze(levels))

  class Answer {
    #text
    constructor(told) { this.status = told.status; this.statusText = told.statusText; this.ok = told.status >= 200 && told.status < 300; this.url = told.url; this.headers = new Fields(told.headers); this.#text = told.body }
    async text() { return this.#text }
    async json() { return parse(this.#text) }
  }
  class Fields {
    #of
    constructor(of) { this.#of = setPrototypeOf(of, null) }
    get(name) { const found = this.#of[apply(lower, OwnString(name), [])]; return found === undefined ? null : found }
    has(name) { return this.get(name) !== null }
    *entries() { for (const name of keys(this.#of)) yield [name, this.#of[name]] }
    [Symbol.iterator]() { return this.entries() }
  }
  hidden(globalThis, 'fetch', async (url, options = {}) => {
    const { method, headers, body } = options ?? {}
    const fields = create(null)
    if (headers) for (const [name, value] of typeof headers.entries === 'function' ? headers.entries() : isArray(headers) ? headers : keys(headers).map((name) => [name, headers[name]])) fields[name] = OwnString(value)
    const asked = { __proto__: null, url: OwnString(url), method: method === undefined ? 'GET' : OwnString(method), headers: fields }
    if (body !== undefined && body !== null) asked.body = OwnString(body)
    return new Answer(await ask('network', 'fetch', [asked]))
  })
  const files = create(null)
  for (const [name, kind] of [['readFile', 'read'], ['writeFile', 'write'], ['readdir', 'list']]) files[name] = (...given) => ask('files', kind, given)
  hidden(globalThis, 'fs', freeze(files))

  const timers = create(null)
  let lastTimer = 0
  hidden(globalThis, 'setTimeout', (work, ms, ...given) => {
    if (typeof work !== 'function') throw new OwnTypeError('setTimeout needs a function')
    const id = ++lastTimer
    timers[id] = true
    apply(then, ask('timer', 'sleep', [+ms || 0]), [() => {
      if (!timers[id]) return
      delete timers[id]
      try { apply(work, undefined, given) } catch (error) { log('error', 'In a timer: ' + say(error)) }
    }])
    return id
  })
  hidden(globalThis, 'clearTimeout', (id) => { delete timers[id] })

  let a = 1, b = 2, c = 3, d = 4
  const random = () => {
    const t = (a + b | 0) + d | 0
    d = d + 1 | 0; a = b ^ b >>> 9; b = c + (c << 3) | 0; c = (c << 21 | c >>> 11) + t | 0
    return (t >>> 0) / 4294967296
  }
  put(Math, 'random', random)
  // It would be handed the functions of whoever is on the stack, ours too.
  hidden(OwnError, 'prepareStackTrace', undefined)

  globalThis.__settle = (id, isFine, text) => {
    const one = waiting[id]
    if (!one) return
    delete waiting[id]
    if (isFine) return one.resolve(text === '' ? undefined : parse(text))
    const told = setPrototypeOf(parse(text), null)
    const error = new OwnError(told.message)
    // Where it was called says more than where it was answered, which is here.
    hidden(error, 'stack', one.place)
    if (told.name) hidden(error, 'name', told.name)
    if (told.code) put(error, 'code', told.code)
    if (told.kind) { hidden(error, 'kind', told.kind); put(error, 'type', told.kind) }
    if (told.details !== undefined) put(error, 'details', told.details)
    apply(noteTold, outside, [error, text])
    one.reject(error)
  }
  globalThis.__rejected = (promise, error, isHandled) => {
    if (isHandled) apply(drop, unheard, [promise])
    else apply(keep, unheard, [promise, error])
  }
  globalThis.__begin = (work, setting) => {
    const { seed, context } = parse(setting)
    a = seed[0] | 0; b = seed[1] | 0; c = seed[2] | 0; d = seed[3] | 0
    for (let i = 0; i < 12; i++) random()
    hidden(globalThis, 'context', context)
    const fail = (error) => { tellUnheard(); done(0, errorText(error)) }
    let promise
    try { promise = work() } catch (error) { return fail(error) }
    apply(then, promise, [(value) => {
      let text
      try { text = stringify(value) } catch (error) { const why = reason(error); return fail(why === 'out of memory' ? error : new OwnTypeError('The result cannot be sent: ' + why)) }
      tellUnheard()
      done(1, text === undefined ? '' : text)
    }, fail])
  }
})()`
