// The package has types for its other builds only. Here: the functions of libheif's C interface that we call; numbers are addresses.
declare module 'libheif-js/libheif-wasm/libheif-bundle.js' {
  type Library = {
    HEAPU8: Uint8Array;
    HEAP32: Int32Array;
    _malloc(sizeBytes: number): number;
    _free(pointer: number): void;
    _heif_context_alloc(): number;
    _heif_context_free(context: number): void;
    _heif_context_read_from_memory_without_copy(
      error: number,
      context: number,
      pointer: number,
      sizeBytes: number,
      options: number,
    ): void;
    _heif_context_get_primary_image_handle(error: number, context: number, handleOut: number): void;
    _heif_image_handle_get_width(handle: number): number;
    _heif_image_handle_get_height(handle: number): number;
    _heif_image_handle_release(handle: number): void;
    _heif_decode_image(
      error: number,
      handle: number,
      imageOut: number,
      colorspace: number,
      chroma: number,
      options: number,
    ): void;
    _heif_image_get_primary_width(image: number): number;
    _heif_image_get_primary_height(image: number): number;
    _heif_image_get_plane_readonly2(image: number, channel: number, strideOut: number): number;
    _heif_image_release(image: number): void;
  };
  export default function createLibrary(): Library;
}
