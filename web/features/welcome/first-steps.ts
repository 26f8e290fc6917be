import { createStore } from '../../store.ts'

/** Whether somebody is in the middle of the first steps: then they see them to their end, though nothing is new any more. */
export const isTakingFirstSteps = createStore(false)
