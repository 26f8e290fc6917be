import { createStore } from '../../store.ts'

/** The panel beside a conversation, as this browser left it. */
interface Panel {
  isOpen: boolean
  /** In pixels. */
  width: number
}

const place = 'signalbox.panel'
export const leastPanel = 340
export const leastBeside = 380

export const panel = createStore<Panel>(remembered())

export function changePanel(part: Partial<Panel>): void {
  panel.set((now) => ({ ...now, ...part }))
  localStorage.setItem(place, JSON.stringify(panel.get()))
}

function remembered(): Panel {
  const usual = { isOpen: true, width: 520 }
  try {
    const { isOpen, width } = JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<Panel>
    return {
      isOpen: isOpen !== false,
      width: typeof width === 'number' && width >= leastPanel ? width : usual.width,
    }
  } catch {
    return usual
  }
}
