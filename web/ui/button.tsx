import type { ComponentProps } from 'react'

const looks = {
  plain: 'border-edge bg-panel text-text hover:bg-raise',
  main: 'border-text bg-text font-[550] text-ground hover:opacity-90',
  quiet: 'border-transparent text-soft hover:bg-raise hover:text-text',
  danger: 'border-stop bg-stop font-[550] text-panel hover:opacity-90',
}

interface Props extends ComponentProps<'button'> {
  look?: keyof typeof looks
}

/** For links that do what a button does. */
export const buttonLook = (look: keyof typeof looks = 'plain') =>
  `inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-control border px-2.5 whitespace-nowrap transition-colors disabled:opacity-50 max-sm:h-9 ${looks[look]}`

export function Button({ look = 'plain', className = '', type = 'button', ...rest }: Props) {
  return <button type={type} className={`${buttonLook(look)} ${className}`} {...rest} />
}

/** A square button that is only an icon; its label is what a screen reader and the tooltip say. */
export function IconButton({ label, className = '', ...rest }: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-control text-mute transition-colors hover:bg-raise hover:text-text max-sm:size-9 ${className}`}
      {...rest}
    />
  )
}
