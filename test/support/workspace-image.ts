import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// Images that need no registry: programs of this machine with the libraries that they need, and nothing else.

const words = (text: string) => text.trim().split(/\s+/)

const coreutils = words(`
  base64 basename cat chmod chown comm cp cut date dd df dirname du echo env expr false head id join ln ls md5sum mkdir mkfifo
  mktemp mv nice nproc od paste printenv printf pwd readlink realpath rm rmdir seq sha256sum shuf sleep sort split stat stty
  sync tac tail tee test timeout touch tr true truncate tty uname uniq wc whoami yes`)
const others = words('sh bash awk diff find git grep gzip kill patch ps sed setsid tar which xargs')
/** What programs that are brought from elsewhere expect of a system, whether ours need it or not. */
const parts = words(
  'librt.so.1 libpthread.so.0 libdl.so.2 libm.so.6 libresolv.so.2 libutil.so.1 libgcc_s.so.1 libnss_files.so.2',
)
const gitParts = ['git', 'git-upload-pack', 'git-receive-pack', 'git-upload-archive']

/** An image with Node, git and what a shell needs; or one without Node. */
export async function importImage(
  socketPath: string,
  tag: string,
  { node }: { node: string | null },
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'image-'))
  try {
    furnish(root, node)
    const tar = spawn('tar', ['-C', root, '--owner=0', '--group=0', '-c', '.'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(tar, 'exit')
    await upload(socketPath, tag, tar.stdout)
    const [code] = await exited
    if (code !== 0) throw new Error(`tar ended with ${code}`)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function furnish(root: string, node: string | null): void {
  chmodSync(root, 0o755)
  const folders =
    'usr/bin usr/sbin usr/lib usr/lib64 usr/local/bin usr/lib/git-core usr/share/git-core/templates etc tmp proc sys dev run workspace home/agent'
  for (const folder of words(folders)) mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  const programs = [...coreutils, ...others].flatMap((name) => {
    const found = findProgram(name)
    return found ? [{ from: found, to: `usr/bin/${name}` }] : []
  })
  if (node) programs.push({ from: node, to: 'usr/local/bin/node' })
  for (const { from, to } of programs) copy(from, join(root, to))
  for (const library of librariesOf(programs.map(({ from }) => from)))
    copy(library, join(root, library.startsWith('/usr/') ? library : `usr${library}`))
  for (const part of gitParts) symlinkSync('../../bin/git', join(root, 'usr/lib/git-core', part))
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/root:/bin/sh\nagent:x:10001:10001::/home/agent:/bin/sh\nuser:x:1000:1000::/home/agent:/bin/sh\n',
  )
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nagent:x:10001:\nuser:x:1000:\n')
  chmodSync(join(root, 'tmp'), 0o1777)
}

function findProgram(name: string): string | undefined {
  const folder = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].find((one) => existsSync(join(one, name)))
  return folder && realpathSync(join(folder, name))
}

/** As the loader would find them, and the loader itself. Scripts among the programs need none. */
function librariesOf(programs: string[]): Set<string> {
  const { stdout } = spawnSync('ldd', programs, { encoding: 'utf8' })
  const found = [...stdout.matchAll(/(\/\S+\.so\S*)/g)].map(([, path = '']) => path)
  const system = dirname(found.find((path) => path.endsWith('/libc.so.6')) ?? '/lib/libc.so.6')
  return new Set([...found, ...parts.map((part) => join(system, part)).filter((part) => existsSync(part))])
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
  chmodSync(to, 0o755)
}

async function upload(socketPath: string, tag: string, tar: NodeJS.ReadableStream): Promise<void> {
  const [repo = '', version = ''] = tag.split(':')
  const query = new URLSearchParams({ fromSrc: '-', repo, tag: version })
  query.append('changes', 'ENV PATH=/usr/local/bin:/usr/bin:/bin')
  const sent = request({
    socketPath,
    method: 'POST',
    path: `/images/create?${query.toString()}`,
    agent: false,
  })
  tar.pipe(sent)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const part of answer) text += String(part)
  if (answer.statusCode !== 200 || text.includes('"error"')) throw new Error(`No image was made: ${text}`)
}
