// What a program in a sandbox may not ask the kernel for, as a classic BPF program. Namespaces and lost rights already keep it in; this
// takes away the parts of the kernel in which ways out were found again and again, and which no build, test or agent needs.

/** Each by its number on x86-64 and on arm64; null where there is none. */
const refused: Record<string, readonly [number, number | null]> = {
  // Looking into other processes, or taking what they hold.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  // Mounts, old and new, and other roots.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  // Namespaces; of clone only the flags for them are refused.
  unshare: [272, 97],
  setns: [308, 268],
  // Files by handle, past the walls of mounts.
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Code and memory of the kernel.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  lookup_dcookie: [212, 18],
  // Keys belong to a user, not to a namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // The machine itself.
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  quotactl: [179, 60],
  syslog: [103, 116],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
}

interface Architecture {
  /** AUDIT_ARCH_… */
  audit: number
  column: 0 | 1
  clone: number
  clone3: number
  socket: number
  ioctl: number
}

const architectures: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, clone3: 435, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, clone3: 435, socket: 198, ioctl: 29 },
}

const eperm = 1
const enosys = 38
const eafnosupport = 97
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const namespaceFlags = 0x7e02_0000
/** Unix, IPv4, IPv6 and netlink. Others, such as vsock, know no network namespaces and lead out of them. */
const families = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX type into the terminal of whoever looks on. */
const terminalTricks = [0x5412, 0x541c]
/** Numbers from here on are those of x32, another way to all of them. */
const x32 = 0x4000_0000

const [load, jumpEqual, jumpAtLeast, jumpAny, give] = [0x20, 0x15, 0x35, 0x45, 0x06]
const [numberAt, architectureAt, firstArgumentAt, secondArgumentAt] = [0, 4, 16, 24]
const allow = 0x7fff_0000
const kill = 0x8000_0000
const fail = (errno: number) => 0x0005_0000 | errno

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number]

/** For bubblewrap's --seccomp. Undefined for an architecture that we know no numbers of. */
export function seccompFilter(arch: NodeJS.Architecture = process.arch): Buffer | undefined {
  const known = architectures[arch]
  return known && encode(instructionsFor(known))
}

function instructionsFor({ audit, column, clone, clone3, socket, ioctl }: Architecture): Instruction[] {
  const numbers = Object.values(refused).flatMap((both) => both[column] ?? [])
  return [
    [load, 0, 0, architectureAt],
    [jumpEqual, 1, 0, audit],
    [give, 0, 0, kill],
    [load, 0, 0, numberAt],
    [jumpAtLeast, 0, 1, x32],
    [give, 0, 0, kill],
    ...numbers.flatMap((number): Instruction[] => [
      [jumpEqual, 0, 1, number],
      [give, 0, 0, fail(eperm)],
    ]),
    // Its flags are in memory, where a filter cannot look; without it, programs fall back to clone.
    [jumpEqual, 0, 1, clone3],
    [give, 0, 0, fail(enosys)],
    [jumpEqual, 0, 4, clone],
    [load, 0, 0, firstArgumentAt],
    [jumpAny, 0, 1, namespaceFlags],
    [give, 0, 0, fail(eperm)],
    [give, 0, 0, allow],
    [jumpEqual, 0, families.length + 3, socket],
    [load, 0, 0, firstArgumentAt],
    ...families.map((family, at): Instruction => [jumpEqual, families.length - at, 0, family]),
    [give, 0, 0, fail(eafnosupport)],
    [give, 0, 0, allow],
    [jumpEqual, 0, terminalTricks.length + 3, ioctl],
    [load, 0, 0, secondArgumentAt],
    ...terminalTricks.map((trick, at): Instruction => [jumpEqual, terminalTricks.length - at, 0, trick]),
    [give, 0, 0, allow],
    [give, 0, 0, fail(eperm)],
    [give, 0, 0, allow],
  ]
}

/** As `struct sock_filter` lies in memory on machines that begin with the low byte, as these two do. */
function encode(instructions: readonly Instruction[]): Buffer {
  const size = 8
  const bytes = Buffer.alloc(instructions.length * size)
  for (const [at, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, at * size)
    bytes.writeUInt8(whenTrue, at * size + 2)
    bytes.writeUInt8(whenFalse, at * size + 3)
    bytes.writeUInt32LE(value >>> 0, at * size + 4)
  }
  return bytes
}
