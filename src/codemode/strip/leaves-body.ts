/** What can hide a bracket, where it can be told without reading the language; and what cannot be told. */
const tokens =
  /'(?:[^'\\\n\r]|\\.)*'|"(?:[^"\\\n\r]|\\.)*"|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/|`(?:[^`\\$]|\\[\s\S]|\$(?!\{)|\$\{[^{}`'"/]*\})*`|<!--|-->|[{}`'"/]/g

/**
 * Whether code may close the function that it is the body of, and go on outside of it. When this says no it does not; when it says yes
 * whoever reads the language has to look.
 */
export function mayLeaveBody(code: string): boolean {
  let depth = 0
  for (const [token] of code.matchAll(tokens)) {
    if (token === '{') depth += 1
    else if (token === '}') depth -= 1
    else if (token.length === 1 || token === '<!--' || token === '-->') return true
    if (depth < 0) return true
  }
  return false
}
