/** Why what stands above does not do, while it does not. */
export function Misfit({ reason, isAlert = false }: { reason: string | undefined; isAlert?: boolean }) {
  if (!reason) return null
  const look = 'block text-small wrap-anywhere text-stop'
  if (!isAlert)
    return (
      <output data-misfit className={look}>
        {reason}
      </output>
    )
  return (
    <span role="alert" data-misfit className={look}>
      {reason}
    </span>
  )
}
