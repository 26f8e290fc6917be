export const fieldLook =
  'min-h-7 w-full rounded-control border border-control bg-ground px-2 py-1 max-sm:min-h-9 max-sm:text-[16px]'
