/** Puts variables in for `${NAME}`. `$${` stays as a plain `${`. */
export function expandVariables(
  text: string,
  env: NodeJS.ProcessEnv,
  complain: (what: string) => void,
): string {
  return text.replace(/(\$?)\$\{([^}]*)(\}?)/g, (whole, escape: string, name: string, close: string) => {
    if (escape) return whole.slice(1)
    if (close === '' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      complain(`has a \${ that names no variable; write \${NAME} for a variable, or $\${ for a plain \${`)
      return ''
    }
    const value = env[name]
    if (value === undefined) {
      complain(
        `names the variable ${name}, which is not set; set it, or write $\${${name}} for the plain text`,
      )
    }
    return value ?? ''
  })
}
