import { part } from '../../part.tsx'

/** A session's files: fetched when they are looked at. */
export const FilesTab = part(() => import('./files-tab.tsx'))
