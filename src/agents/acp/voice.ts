import { Outlet } from '../outlet.ts'
import type { AgentEvent } from '../port.ts'
import { notice } from './decode.ts'

/** As many malformed lines are told one by one. */
const mostNotices = 3

/** Where the agent's words go, and how much of them makes no sense. */
export class Voice extends Outlet {
  #skipped = 0

  /** A line of the agent that is skipped; the frames have it as it was. */
  async skip(what: string): Promise<void> {
    this.#skipped += 1
    if (this.#skipped <= mostNotices) await this.tell(notice(`Skipped ${what} in the agent's protocol.`))
  }

  override close(last: readonly AgentEvent[]): Promise<void> {
    const count = this.#skipped
    this.#skipped = 0
    if (count <= mostNotices) return super.close(last)
    const text = `${count} lines of the agent's protocol could not be read and were skipped.`
    return super.close([...notice(text), ...last])
  }
}
