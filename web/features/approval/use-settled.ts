import { useEffect, useState } from 'react'

/**
 * Whether this has stood still for a moment. A key that was meant for what was here before must not answer what took its
 * place: one question vanishes, answered by somebody else, just as the finger comes down.
 */
export function useSettled(id: string | undefined, ms = 600): boolean {
  const [settled, setSettled] = useState<string>()
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), ms)
    return () => clearTimeout(timer)
  }, [id, ms])
  return id !== undefined && settled === id
}
