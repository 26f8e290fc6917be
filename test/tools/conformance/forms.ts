import { inputRequired } from '@modelcontextprotocol/server'

// The forms whose fields the scenarios look at.

export const defaultsForm = inputRequired.elicit({
  message: 'Look at these, and change what is wrong',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  },
})

const titled = (title: string) =>
  ['First', 'Second', 'Third'].map((name, index) => ({
    const: `value${index + 1}`,
    title: `${name} ${title}`,
  }))
const options = ['option1', 'option2', 'option3']

export const enumsForm = inputRequired.elicit({
  message: 'Choose',
  requestedSchema: {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    },
  },
})
