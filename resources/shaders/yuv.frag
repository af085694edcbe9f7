#version 330 core
uniform sampler2D planeY;
uniform sampler2D planeU;
uniform sampler2D planeV;
uniform mat3 toRgb;
uniform vec3 offset;
uniform float sampleScale;  // 1, or 65535 / largest sample for planes of 9 to 16 bits
uniform vec3 siting;        // chroma samples per luma sample (x, y), horizontal shift in chroma samples
uniform bool sharp;
in vec2 at;
out vec4 color;

// Interpolated here rather than by the texture unit: that rounds 8-bit samples to 8 bits, which the colour
// matrix then doubles.
vec2 chromaAt(vec2 place) {
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

void main() {
    vec2 size = vec2(textureSize(planeY, 0));
    // With sharp pixels a luma pixel shows one colour, so its chroma is read at its centre.
    vec2 luma = sharp ? floor(at * size) + 0.5 : at * size;
    vec3 yuv = vec3(texture(planeY, luma / size).r, chromaAt(luma * siting.xy + vec2(siting.z, 0.0)));
    color = vec4(clamp(toRgb * (yuv * sampleScale - offset), 0.0, 1.0), 1.0);
}
