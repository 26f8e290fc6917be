import { createStore, useStore } from '../../store.ts'

const place = 'signalbox.diff'
const isSplit = createStore(localStorage.getItem(place) === 'split')

/** Whether both sides of a diff stand beside each other, as this browser left it. */
export function useIsSplit(): [boolean, (wanted: boolean) => void] {
  return [
    useStore(isSplit),
    (wanted) => {
      isSplit.set(wanted)
      localStorage.setItem(place, wanted ? 'split' : 'unified')
    },
  ]
}
