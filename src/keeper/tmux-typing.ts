import { setTimeout as wait } from 'node:timers/promises'
import type { Terminal } from '#agents/port.ts'
import type { Tmux } from './tmux.ts'

/** Enter that comes together with text is taken for a part of it. */
const beforeEnterMs = 100
const longestTyped = 1_000

/** The hands on the keyboard of a terminal. */
export function typing(tmux: Tmux, name: string): Pick<Terminal, 'type' | 'press'> {
  async function paste(text: string): Promise<void> {
    await tmux.give(text, 'load-buffer', '-b', 'typed', '-')
    await tmux.ask('paste-buffer', '-d', '-p', '-b', 'typed', '-t', name)
  }
  const press = async (...keys: string[]) => {
    await tmux.ask('send-keys', '-t', name, ...keys)
  }
  return {
    async type(said) {
      const text = typable(said)
      if (text.includes('\n') || Buffer.byteLength(text) > longestTyped) await paste(text)
      else if (text) await press('-l', '--', text)
      await wait(beforeEnterMs)
      await press('Enter')
    },
    press,
  }
}

/** Without what would be keys: a paste ends with an escape, and so would begin what nobody typed. */
const typable = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '')
