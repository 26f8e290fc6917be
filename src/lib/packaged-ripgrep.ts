import { createRequire } from 'node:module'

/** The ripgrep among our packages; undefined where they are not, or have none for this platform. */
export function packagedRipgrep(): string | undefined {
  const { platform, arch } = process
  try {
    return createRequire(import.meta.url).resolve(`@vscode/ripgrep-${platform}-${arch}/bin/rg`)
  } catch {
    return undefined
  }
}
