#version 330 core
// One decoded picture's colour at a place in it; put before the shaders that show pictures.

// Interpolated here rather than by the texture unit: that rounds 8-bit samples to 8 bits, which the colour
// matrix then doubles.
vec2 chromaAt(sampler2D planeU, sampler2D planeV, vec2 place) {
    ivec2 last = textureSize(planeU, 0) - 1;
    vec2 corner = floor(place - 0.5);
    vec2 part = place - 0.5 - corner;
    ivec2 low = clamp(ivec2(corner), ivec2(0), last);
    ivec2 high = clamp(ivec2(corner) + 1, ivec2(0), last);
    vec4 weights = vec4((1.0 - part.x) * (1.0 - part.y), part.x * (1.0 - part.y), (1.0 - part.x) * part.y,
                        part.x * part.y);
    vec4 u = vec4(texelFetch(planeU, low, 0).r, texelFetch(planeU, ivec2(high.x, low.y), 0).r,
                  texelFetch(planeU, ivec2(low.x, high.y), 0).r, texelFetch(planeU, high, 0).r);
    vec4 v = vec4(texelFetch(planeV, low, 0).r, texelFetch(planeV, ivec2(high.x, low.y), 0).r,
                  texelFetch(planeV, ivec2(low.x, high.y), 0).r, texelFetch(planeV, high, 0).r);
    return vec2(dot(u, weights), dot(v, weights));
}

// `sampleScale`: 1, or 65535 / largest sample for planes of 9 to 16 bits. `siting`: chroma samples per luma
// sample (x, y), horizontal shift in chroma samples.
vec3 colorAt(sampler2D planeY, sampler2D planeU, sampler2D planeV, mat3 toRgb, vec3 offset, float sampleScale,
             vec3 siting, bool nearest, vec2 at) {
    vec2 size = vec2(textureSize(planeY, 0));
    // A pixel shown as a square has one colour, so its chroma is read at its centre.
    vec2 luma = nearest ? floor(at * size) + 0.5 : at * size;
    vec3 yuv = vec3(texture(planeY, luma / size).r, chromaAt(planeU, planeV, luma * siting.xy + vec2(siting.z, 0.0)));
    return clamp(toRgb * (yuv * sampleScale - offset), 0.0, 1.0);
}
