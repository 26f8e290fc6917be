import { expect, test } from 'vitest'
import { givenAnswers } from './given-answers.ts'

const question = (id: string, multiple = false) => ({ id, question: `${id}?`, choices: [], multiple })
const form = { questions: [question('a=b'), question('colour'), question('sizes', true)], schema: null }

test('answers go to questions by id or number, and those that may be several become a list', () => {
  expect(givenAnswers(form, ['a=b=1=2', '2=red', 'sizes=s', '3=m'])).toEqual({
    'a=b': '1=2',
    colour: 'red',
    sizes: ['s', 'm'],
  })
  expect(() => givenAnswers(form, ['4=x'])).toThrow(/none of the questions:\n {2}1=…  a=b\?/)
  expect(() => givenAnswers(form, ['colour'])).toThrow('none of the questions')
})

test('answers to fields have the type that the form asks for', () => {
  const schema = { type: 'object', properties: { count: { type: 'integer' }, sure: { type: 'boolean' } } }
  expect(givenAnswers({ questions: null, schema }, ['count=3', 'sure=true', 'else=3'])).toEqual({
    count: 3,
    sure: true,
    else: '3',
  })
  expect(() => givenAnswers({ questions: null, schema }, ['count=x'])).toThrow(
    '--answer count: "x" is not of type',
  )
  expect(() => givenAnswers({ questions: null, schema }, ['count'])).toThrow('write --answer name=value')
})
