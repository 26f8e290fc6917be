/** Why what stands above does not do, while it does not. */
export function Misfit({ reason, isAlert = false }: { reason: string | undefined; isAlert?: boolean }) {
  if (!reason) return null
  return (
    <span
      role={isAlert ? 'alert' : 'status'}
      data-misfit
      className="block text-small wrap-anywhere text-stop"
    >
      {reason}
    </span>
  )
}
