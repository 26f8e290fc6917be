import { stat } from 'node:fs/promises'

/** Another text when a file or folder is another one, or was changed; `gone` when there is none. */
export async function stampOfAll(paths: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ dev, ino, size, mtimeMs, ctimeMs }) => `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`,
        () => 'gone',
      ),
    ),
  )
  return stamps.join(' ')
}

/** Makes it again only when what it is made of has another stamp. */
export function keptWhileUnchanged<Value>(
  sources: () => readonly string[],
  make: () => Promise<Value>,
): () => Promise<Value> {
  let kept: { stamp: string; value: Value } | undefined
  return async () => {
    const stamp = await stampOfAll(sources())
    if (kept?.stamp !== stamp) kept = { stamp, value: await make() }
    return kept.value
  }
}
