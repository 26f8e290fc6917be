/** What is longer than this is not read. */
export const longestMessage = 16 * 1024 * 1024
export const tooLongUnread = `It sent a message of more than ${longestMessage / 1024 / 1024} MB, which was not read`
export const tooLongAnswer = `Its answer is more than ${longestMessage / 1024 / 1024} MB, which is not read: ask for less, or for one part after the other`
/** Everything that a server says of its tools, together. */
export const longestToolList = 32 * 1024 * 1024
export const mostTools = 10_000
export const mostPages = 1_000

export const noAnswer = 'It answered with something that is no answer'
export const tooDeep = 'It answered with something that is nested too deep to be read'

export const connectPatienceMs = 20_000
/** A question that anybody alive answers at once. */
export const checkPatienceMs = 4_000

/** What of an upstream's words is put before people. */
export const longestWords = 500

/** Says how much may be read in a second, so that one who shouts does not keep us from all others. */
export interface Allowance {
  /** Answers for how long to read nothing after this. */
  spend: (bytes: number) => number
}

const messagesPerSecond = 2_000
const bytesPerSecond = 64 * 1024 * 1024

export function openAllowance(now: () => number = Date.now): Allowance {
  let second = 0
  let messages = 0
  let spent = 0
  return {
    spend(bytes) {
      const at = now()
      if (at - second >= 1_000) [second, messages, spent] = [at, 0, 0]
      messages += 1
      spent += bytes
      return messages > messagesPerSecond || spent > bytesPerSecond ? second + 1_000 - at : 0
    },
  }
}
