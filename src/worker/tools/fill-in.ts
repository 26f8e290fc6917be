import type { SourceConfig } from '#contract/source.ts'

/** A value names a variable that is not there, or one that no source is given. */
export class NotFilledIn extends Error {}

/** Ours alone, whatever somebody writes: with them a source could act as we do. */
const isOurs = (name: string): boolean => /^(?:SIGNALBOX_.*|DATABASE_URL|JWT_SECRET|PG[A-Z]+)$/i.test(name)

/** A source as it is used: with the variables of the worker in the place of `${NAME}` and `${NAME:-otherwise}`. */
export function fillIn(config: SourceConfig, env: NodeJS.ProcessEnv): SourceConfig {
  const one = (where: string, text: string) => filled(where, text, env)
  const each = (where: string, values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, one(`${where}.${name}`, value)]))
  const given = (key: string, value: string | undefined, where = key) =>
    value === undefined ? {} : { [key]: one(where, value) }
  const { auth } = config
  return {
    ...config,
    ...given('command', config.command),
    args: config.args.map((argument, index) => one(`args.${index}`, argument)),
    ...given('cwd', config.cwd),
    env: each('env', config.env),
    ...given('url', config.url),
    headers: each('headers', config.headers),
    ...given('module', config.module),
    ...(auth && {
      auth: {
        ...auth,
        ...given('token', auth.token, 'auth.token'),
        ...given('clientId', auth.clientId, 'auth.clientId'),
        ...given('clientSecret', auth.clientSecret, 'auth.clientSecret'),
      },
    }),
  }
}

function filled(where: string, text: string, env: NodeJS.ProcessEnv): string {
  return text.replace(
    /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}/g,
    (whole, escape: string, name: string, _otherwise: string | undefined, fallback: string | undefined) => {
      if (escape) return whole.slice(1)
      if (isOurs(name))
        throw new NotFilledIn(
          `${where} names the variable ${name}, which is Signalbox's own: no source gets it`,
        )
      const value = env[name] ?? fallback
      if (value !== undefined) return value
      throw new NotFilledIn(
        `${where} names the variable ${name}, which is not set where the worker runs: set it and restart, ` +
          `or write $\${${name}} for the plain text`,
      )
    },
  )
}
