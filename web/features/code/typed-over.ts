import { EditorView } from '@codemirror/view'

/**
 * Types over what is selected without the browser's own hand in it: Chrome keeps the look of what it replaces in style attributes, which
 * the content security policy forbids.
 */
export const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event
    const { main, ranges } = view.state.selection
    if (inputType !== 'insertText' || !data || main.empty || ranges.length > 1 || view.composing) return false
    event.preventDefault()
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    const isTaken = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, data, insert))
    if (!isTaken) view.dispatch(insert())
    return true
  },
})
