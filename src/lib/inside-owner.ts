/** Who files inside walls belong to, and whose rights programs have there. */
export interface InsideOwner {
  uid: number
  gid: number
}

/** For those who are root: somebody who is nobody else on a usual machine. */
const nobodyElse = 10_001

/** Ourselves, unless we are root, who is nobody to lend to an agent. */
export function insideOwner(): InsideOwner {
  const [uid = nobodyElse, gid = nobodyElse] = [process.getuid?.(), process.getgid?.()]
  return uid === 0 ? { uid: nobodyElse, gid: nobodyElse } : { uid, gid }
}
