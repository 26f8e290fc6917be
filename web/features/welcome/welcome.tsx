import { part } from '../../part.tsx'

/** The first steps: shown on Home while there is nothing yet, and in a room of its own later. */
export const Welcome = part(() => import('./welcome-steps.tsx'))
