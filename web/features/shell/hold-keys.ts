let holders = 0
export const areKeysHeld = () => holders > 0

/**
 * From the moment a window is asked for until it (or what is said in its place) has the focus, keys act on nothing else:
 * what is typed meanwhile goes into its first field, Enter and all, and Escape takes the wish back.
 * Answers with how to end it early.
 */
export function holdKeys(onEscape: () => void): () => void {
  const typed: string[] = []
  let isEntered = false
  const press = (event: KeyboardEvent) => {
    const isForTheBrowser = event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key)
    if (isForTheBrowser || event.isComposing) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.key === 'Escape') onEscape()
    else if (isEntered) return
    else if (event.key === 'Enter') isEntered = typed.length > 0
    else if (event.key === 'Backspace') typed.pop()
    else if (/^.$/u.test(event.key)) typed.push(event.key)
  }
  const arrive = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement) || !target.closest('[role=dialog], [data-broken]')) return
    letGo()
    if (typed.length === 0 || !(target instanceof HTMLInputElement)) return
    type(target, typed.join(''))
    // Not before the form has taken in what was typed.
    if (isEntered) setTimeout(() => target.form?.requestSubmit())
  }
  let isHolding = true
  const letGo = () => {
    if (isHolding) holders -= 1
    isHolding = false
    window.removeEventListener('keydown', press, { capture: true })
    document.removeEventListener('focusin', arrive)
  }
  holders += 1
  window.addEventListener('keydown', press, { capture: true })
  document.addEventListener('focusin', arrive)
  return letGo
}

function type(field: HTMLInputElement, text: string): void {
  field.setRangeText(text, field.value.length, field.value.length, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }))
}
