import { part } from '../../part.tsx'

/** A session's changes: fetched when they are looked at. */
export const ChangesTab = part(() => import('./changes-tab.tsx'))
