/** What was drawn is told at the latest after so many bytes. */
const ackBytes = 32_768

/** Counts the bytes of one socket that have been drawn, and tells when it is worth it: often enough, and at the end. */
export function countDrawn(tell: (bytes: number) => void) {
  let era = 0
  let expected = 0
  let done = 0
  let told = 0
  return {
    startOver: () => {
      era += 1
      expected = done = told = 0
    },
    expect: (bytes: number) => {
      const mine = era
      expected += bytes
      return () => {
        if (mine !== era) return
        done += bytes
        if (done < expected && done - told < ackBytes) return
        told = done
        tell(done)
      }
    },
  }
}
