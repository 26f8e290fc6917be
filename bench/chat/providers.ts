import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'

export const providers = ['anthropic', 'openai', 'google', 'compatible'] as const
export type Provider = (typeof providers)[number]

/** How Signalbox is asked for it. */
export const modelOf: Record<Provider, string> = {
  anthropic: 'anthropic/claude-sonnet-4-5',
  openai: 'openai/gpt-5',
  google: 'google/gemini-2.5-pro',
  compatible: 'compatible/any',
}

/** The same model, asked with nothing in between, by the package that Signalbox asks it with. */
export function directModel(provider: Provider, url: string): LanguageModel {
  const apiKey = 'k'
  switch (provider) {
    case 'anthropic':
      return createAnthropic({ apiKey, baseURL: `${url}/v1` })('claude-sonnet-4-5')
    case 'openai':
      return createOpenAI({ apiKey, baseURL: `${url}/v1` })('gpt-5')
    case 'google':
      return createGoogleGenerativeAI({ apiKey, baseURL: `${url}/v1beta` })('gemini-2.5-pro')
    case 'compatible':
      return createOpenAICompatible({ name: 'compatible', baseURL: `${url}/v1`, includeUsage: true })('any')
  }
}
